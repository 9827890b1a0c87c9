"""Encoders of BERT's make on a GPU, in fp16 or bf16: texts stand end to end, and nothing is padding.

Matrix products are in these. What is added up from layer to layer, and each layer's norm, stays in fp32: roundings
would gather there. Attention is one fused kernel that knows where texts begin and end. In a text the pieces that
others may look at stand first, so that the kernel is told only how many there are; a piece's place is told beside it.

A pack always has the same number of pieces, whatever is in it, and is filled up with texts of no interest. A product
of matrices of one shape treats each row alike and apart from the others, and attention sees one text. So an answer
depends on the text alone: not on what stands beside it, nor where. And what is to be done is the same every time: it is
recorded once and replayed, or else the GPU would wait for Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from showthrough.core.arrays import Bools, Ints

PACKED = frozenset({"bert", "camembert", "roberta", "xlm-roberta"})  # kinds of models whose layers are taken apart here
VERSION = 1  # of what is answered in fp16 and bf16; rises when a number could change
_ROUND = 2048  # a pack's size is a multiple of it
_TEXTS = (256, 1024, 4096)  # in a pack: so many are made room for, or more in multiples of the last
_ALIGNED = 64  # numbers in a row of logits
_HEAD_ROWS = 512  # places that are weighed against the vocabulary at once
_OLDEST = 8, 0  # the first generation of GPUs that has the kernel
_CLOSE = 0.02  # two ways of computing a mean of numbers around 1, in fp16 or bf16

Attention = Callable[[Any, Any, Any, "Pack"], Any]


def mark_identity(identity: tuple[object, ...]) -> tuple[object, ...]:
    """What tells a model's answers in fp16 or bf16, its last word, from those of an earlier way to compute them."""
    return identity if identity[-1] == "fp32" else (*identity, "packing", VERSION)


class Pack(NamedTuple):
    """Texts end to end: pieces, their places, where texts start, how many of each are seen; the longest there may be.

    Of arrays, or of tensors on a device.
    """

    ids: Any
    places: Any
    starts: Any
    seen: Any
    longest: int

    def on(self, device: Any) -> Pack:
        ids, positions, starts, seen = (send(array, device) for array in self[:-1])
        return Pack(ids, positions, starts, seen, self.longest)


def send(array: Any, device: Any) -> Any:
    """An array on the device; a GPU fetches it when it gets there, and nobody waits."""
    import torch

    tensor = torch.from_numpy(array)
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)


def fetch_later(tensor: Any) -> Any:
    """A function that waits for a tensor and gives its numbers; until then the device is not held up."""
    import torch

    if tensor.device.type != "cuda":
        return tensor.numpy
    buffer = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
    buffer.copy_(tensor, non_blocking=True)
    copied = torch.cuda.Event(blocking=True)
    copied.record(torch.cuda.current_stream(tensor.device))

    def numbers() -> Any:
        copied.synchronize()
        return buffer.numpy()

    return numbers


def laid_out(
    ids: Ints, lengths: Ints, hidden: Bools | None, room: int, longest: int, padding: int | None
) -> tuple[Pack, Ints]:
    """Texts of so many pieces end to end in a pack of `room`, rounded up; and where each piece has come to stand.

    Pieces that are `hidden` stand behind the others of their text, which do not look at them; where all are, they look
    at each other. Models that count places from behind the padding's (`padding`) skip pieces of it.
    """
    begins = np.cumsum(lengths) - lengths
    row = np.repeat(np.arange(len(lengths)), lengths)
    within = np.arange(len(ids)) - begins[row]
    target, seen = np.arange(len(ids)), lengths
    if hidden is not None:
        before: Ints = np.cumsum(hidden) - hidden
        rank: Ints = before - before[begins][row]  # among the hidden ones of its text
        visible = lengths - np.bincount(row, weights=hidden, minlength=len(lengths)).astype(np.int64)
        target = begins[row] + np.where(hidden, visible[row] + rank, within - rank)
        seen = np.where(visible > 0, visible, lengths)
    positions = within
    if padding is not None:
        real = ids != padding
        count = np.cumsum(real)
        positions = np.where(real, count - (count - real)[begins][row], 0) + padding
    size = -(-room // _ROUND) * _ROUND
    packed, packed_places = np.zeros((2, size), dtype=np.int64)
    packed[target], packed_places[target] = ids, positions
    rest = np.arange(len(ids), size, longest)  # texts of nothing
    texts = len(lengths) + len(rest)
    most = next((most for most in _TEXTS if most >= texts), -(-texts // _TEXTS[-1]) * _TEXTS[-1])
    starts = np.full(most + 1, size, dtype=np.int32)
    starts[:texts] = np.concatenate([begins, rest])
    looked_at = np.diff(starts)
    looked_at[: len(lengths)] = seen
    return Pack(packed, packed_places, starts, looked_at, longest), target


class PackedEncoder:
    """The layers of a model of BERT's make, over packs."""

    def __init__(self, model: Any, attention: Attention) -> None:
        self.device = model.device
        self.busy = Lock()  # held from the first step to the last: what is recorded has one place for its answer
        config = model.config
        self.padding = None if config.model_type == "bert" else int(config.pad_token_id)
        self._embeddings = model.embeddings
        self._layers = [_Layer(layer, config.num_attention_heads) for layer in model.encoder.layer]
        self._attention = attention
        self._mixed = RecordedCall(self._mix, self.device)
        self._finished = RecordedCall(self.finish, self.device)

    def run_attention(self, pack: Pack) -> tuple[Any, Any]:
        """Up to the last point at which places look at each other: what the last layer is given, and what they saw."""
        states, looked = self._mixed(*pack)
        return states, looked

    def all_of(self, pack: Pack) -> Any:
        """The states of all places after the last layer."""
        return self._finished(*self.run_attention(pack))

    def finish(self, states: Any, looked: Any) -> Any:
        """The rest of the last layer, for any places."""
        return self._layers[-1].finish(states, looked)

    def _mix(self, *parts: Any) -> tuple[Any, Any]:
        import torch

        pack = Pack(*parts)
        ids = pack.ids[None]
        states = self._embeddings(ids, token_type_ids=torch.zeros_like(ids), position_ids=pack.places[None])[0].float()
        for layer in self._layers[:-1]:
            states = layer.finish(states, layer.attend(states, pack, self._attention))
        return states, self._layers[-1].attend(states, pack, self._attention)


class _Layer:
    """Matrices in the model's own numbers, norms in fp32."""

    def __init__(self, layer: Any, heads: int) -> None:
        import torch

        own, after = layer.attention.self, layer.attention.output
        self.heads = heads
        projections = own.query, own.key, own.value
        self.weight = torch.cat([projection.weight for projection in projections]).detach()
        self.bias = torch.cat([projection.bias for projection in projections]).detach()
        self.together, self.first_norm = after.dense, _norm(after.LayerNorm)
        self.wider, self.activation = layer.intermediate.dense, layer.intermediate.intermediate_act_fn
        self.narrower, self.second_norm = layer.output.dense, _norm(layer.output.LayerNorm)

    def attend(self, states: Any, pack: Pack, attention: Attention) -> Any:
        from torch.nn.functional import linear

        rows = linear(states.to(self.weight.dtype), self.weight, self.bias)
        query, key, value = rows.view(len(rows), 3, self.heads, -1).unbind(1)
        return attention(query, key, value, pack).flatten(1)

    def finish(self, states: Any, looked: Any) -> Any:
        states = self.first_norm(states + self.together(looked))
        wide = self.activation(self.wider(states.to(self.weight.dtype)))
        return self.second_norm(states + self.narrower(wide))


def _norm(module: Any) -> Callable[[Any], Any]:
    from torch.nn.functional import layer_norm

    weight, bias = module.weight.detach().float(), module.bias.detach().float()
    return lambda states: layer_norm(states, module.normalized_shape, weight, bias, module.eps)


class PackedHead:
    """What weighs the vocabulary: ln p of given pieces, in fp32 from the product on."""

    def __init__(self, model: Any, encoder: PackedEncoder) -> None:
        import torch
        from torch.nn.functional import pad

        self.encoder = encoder
        self._transform = _transform(model)
        output = model.get_output_embeddings()
        missing = -output.weight.shape[0] % _ALIGNED  # rows of logits then all start alike, and products are fast
        self._weight = pad(output.weight.detach(), (0, 0, 0, missing))
        self._bias = pad(output.bias.detach().float(), (0, missing), value=-torch.inf)
        self._recorded = RecordedCall(self._logs, encoder.device)

    def logs(self, pack: Pack, positions: Any, truth: Any) -> Any:
        """ln p of the true piece at each place, so many places at a time; they are as many as fill that."""
        import torch

        states, looked = self.encoder.run_attention(pack)
        answers = torch.empty(len(positions), device=positions.device)
        for first in range(0, len(positions), _HEAD_ROWS):
            rows = slice(first, first + _HEAD_ROWS)
            answers[rows] = self._recorded(states[positions[rows]], looked[positions[rows]], truth[rows])
        return answers

    def _logs(self, states: Any, looked: Any, truth: Any) -> Any:
        last = self.encoder.finish(states, looked)
        logits = _exactly(self._transform(last.to(self._weight.dtype)), self._weight) + self._bias
        return logits.log_softmax(1).gather(1, truth[:, None])[:, 0]

    @staticmethod
    def pad_positions(positions: Ints) -> Ints:
        """With copies of the first, to whole steps."""
        return np.concatenate([positions, np.full(-len(positions) % _HEAD_ROWS, positions[0])])


class RecordedCall:
    """What is done to tensors: on a GPU recorded once for all of their shapes, then replayed.

    The answer stays where it is until the next one is written there.
    """

    def __init__(self, function: Callable[..., Any], device: Any) -> None:
        self._function = function
        self._device = device
        self._recordings: dict[tuple[object, ...], tuple[Any, list[Any], Any]] = {}

    def __call__(self, *arguments: Any) -> Any:
        import torch

        if self._device.type != "cuda":
            return self._function(*arguments)
        key = tuple(getattr(argument, "shape", argument) for argument in arguments)
        with torch.cuda.device(self._device):  # a thread begins on the first GPU, whichever the model is on
            if key not in self._recordings:
                self._recordings[key] = self._record(arguments)
            graph, buffers, answer = self._recordings[key]
            for buffer, argument in zip(buffers, arguments, strict=True):
                if hasattr(argument, "shape"):
                    buffer.copy_(argument)
            graph.replay()
        return answer

    def _record(self, arguments: Sequence[Any]) -> tuple[Any, list[Any], Any]:
        import torch

        buffers = [argument.clone() if hasattr(argument, "shape") else argument for argument in arguments]
        side_stream = torch.cuda.Stream(self._device)
        side_stream.wait_stream(torch.cuda.current_stream(self._device))
        with torch.cuda.stream(side_stream):
            self._function(*buffers)  # libraries choose and set up what they do when they are first asked
        torch.cuda.current_stream(self._device).wait_stream(side_stream)
        torch.cuda.empty_cache()  # what is recorded has memory of its own
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):  # others may fetch their answers meanwhile
            answer = self._function(*buffers)
        return graph, buffers, answer


def _transform(model: Any) -> Callable[[Any], Any]:
    """What a model does to a state before it weighs the vocabulary."""
    if model.config.model_type == "bert":
        bert_transform: Callable[[Any], Any] = model.cls.predictions.transform
        return bert_transform
    from torch.nn.functional import gelu

    head = model.lm_head
    return lambda states: head.layer_norm(gelu(head.dense(states)))


def _exactly(rows: Any, weight: Any) -> Any:
    """A product whose sums are not rounded to the numbers of its factors: at 16 those of bf16 are 1/8 apart."""
    import torch

    if rows.dtype == torch.float32:
        return rows @ weight.T
    return torch.mm(rows, weight.T, out_dtype=torch.float32)


def fused_attention(query: Any, key: Any, value: Any, pack: Pack) -> Any:
    """Attention within each text, to as many of its first pieces as are seen."""
    import torch

    outputs = torch.ops.aten._flash_attention_forward(
        query, key, value, pack.starts, pack.starts, pack.longest, pack.longest, 0.0, False, False, seqused_k=pack.seen
    )
    return outputs[0]


def packing_attention(model: Any) -> Attention | None:
    """The kernel for packs, where a model is of a make known here and runs in fp16 or bf16 on a GPU that has it."""
    import torch

    config = model.config
    supported = (
        config.model_type in PACKED
        and getattr(config, "position_embedding_type", None) in (None, "absolute")
        and not getattr(config, "is_decoder", False)
        and config.hidden_size % (8 * config.num_attention_heads) == 0
    )
    half = model.dtype in (torch.float16, torch.bfloat16)
    fits = supported and half and model.device.type == "cuda" and _works(model.device, model.dtype)
    return fused_attention if fits else None


def _works(device: Any, dtype: Any) -> bool:
    """Whether this PyTorch has what packs need, and it does here what it should: it is no promise of the library's."""
    import torch

    if torch.cuda.get_device_capability(device) < _OLDEST:
        return False
    lengths, seen = np.array([5, 1, 130, 64]), np.array([3, 1, 129, 64])
    pieces = int(lengths.sum())
    pack, _ = laid_out(np.zeros(pieces, dtype=np.int64), lengths, None, pieces, 130, None)
    pack.seen[: len(seen)] = seen
    pack = pack.on(device)
    rows = np.random.default_rng(0).normal(1.0, 1.0, (3, len(pack.ids), 2, 32))
    query, key, value = torch.from_numpy(rows).to(device, dtype)
    try:
        attended = fused_attention(query, key, value, pack)[:pieces]
        product = _exactly(query[:, 0], key[:, 0])
    except (RuntimeError, TypeError, AttributeError):
        return False
    expected = plain_attention(query.double(), key.double(), value.double(), lengths, seen)
    exact = query[:, 0].double() @ key[:, 0].double().T
    return bool((attended - expected).abs().max() < _CLOSE and (product - exact).abs().max() < _CLOSE / 100)


def plain_attention(query: Any, key: Any, value: Any, lengths: Sequence[int] | Ints, seen: Sequence[int] | Ints) -> Any:
    """The same text by text, of which nothing can be said but that it is right."""
    import torch

    outputs, first = [], 0
    for length, count in zip(lengths, seen, strict=True):
        text_rows, visible_rows = slice(first, first + length), slice(first, first + count)
        sides = (rows.transpose(0, 1) for rows in (query[text_rows], key[visible_rows], value[visible_rows]))
        outputs.append(torch.nn.functional.scaled_dot_product_attention(*sides).transpose(0, 1))
        first += length
    return torch.cat(outputs)
