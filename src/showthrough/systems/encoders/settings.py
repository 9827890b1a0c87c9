"""How a transformer is trained to mask: TAB's experiments (Pilán et al. 2022, section 7.2) are the defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from showthrough.models.settings import Device

LONGFORMER = "allenai/longformer-base-4096"


@dataclass(frozen=True, kw_only=True)
class TransformerSettings:
    """All that is chosen before training, but for the documents."""

    model: Annotated[str, Meta(title="NAME", description="The encoder: its name on the hub, or a folder.")] = LONGFORMER
    window: Annotated[int, Meta(description="Tokens of a window, with its marks; 0: as many as fit.", ge=0)] = 4096
    stride: Annotated[
        int, Meta(description="Tokens from the start of a window to the next; 0: three quarters of it.", ge=0)
    ] = 0
    mask_weight: Annotated[
        float, Meta(description="What a token to be masked counts for; any other counts for 1.", gt=0, lt=1000)
    ] = 10.0
    types: Annotated[bool, Meta(description="Learn the types of mentions too, and not masking alone.")] = False
    epochs: Annotated[int, Meta(description="How often all windows are learned from.", ge=1)] = 2
    learning_rate: Annotated[float, Meta(description="Of AdamW.", gt=0, lt=1)] = 2e-5
    schedule: Annotated[
        Literal["constant", "linear"], Meta(description="Of the learning rate; linear falls to nothing.")
    ] = "constant"
    batch: Annotated[int, Meta(description="Windows that go through the model at once.", ge=1)] = 1
    accumulate: Annotated[int, Meta(description="Such batches in one step.", ge=1)] = 1
    keep: Annotated[
        Literal["last", "best"], Meta(description="Which epoch; best has the highest f1 on the documents of --dev.")
    ] = "last"
    threshold: Annotated[
        float, Meta(description="Mask what is so probably not O; 0: what is likelier something than O.", ge=0, le=1)
    ] = 0.0
    precision: Annotated[
        Literal["auto", "bf16", "fp32"], Meta(description="Of training; auto is bf16 on a GPU that has it.")
    ] = "auto"
    gradient_checkpointing: Annotated[
        bool, Meta(description="Take less memory and more time: layers are calculated twice.")
    ] = False
    checkpoint_minutes: Annotated[float, Meta(description="A checkpoint is written after so many.", ge=0)] = 10.0
    seed: Annotated[int, Meta(description="Of the head, the order of windows and dropout.", ge=0)] = 0
    device: Device = "auto"
