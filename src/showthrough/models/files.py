"""Where a model's files are: a folder that was named, or the hub's copy on this machine, fetched if it is not there."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from showthrough.core.errors import ResourceError, ShowthroughError, shorten
from showthrough.core.patterns import lazy_pattern
from showthrough.models.cache import Cache
from showthrough.models.device import reason_of
from showthrough.models.names import Role, SourceName, folder_exists
from showthrough.models.settings import ModelSettings, Watch

CPU_ALONE = "pip install torch --index-url https://download.pytorch.org/whl/cpu"
EXTRA = f"pip install 'showthrough[models]' (without a GPU, {CPU_ALONE} first: it is much smaller)"
# Weights in safetensors and what goes with them; other weight formats can carry code.
_WANTED = ["*.safetensors", "*.json", "*.txt", "*.model"]
_UNWANTED = ["onnx/*", "openvino/*", "*/onnx/*", "*/openvino/*"]
Parts = Mapping[str, tuple[str, ...]]  # what a model's folder needs, and by which files it has each
WEIGHTS = "file of weights (*.safetensors)"
TOKENIZER = "tokenizer"
_PARTS: Parts = {
    "config.json": ("config.json", "modules.json"),
    WEIGHTS: ("**/*.safetensors",),
    TOKENIZER: ("**/tokenizer.json", "**/vocab.*", "**/*.model"),
}
Changed = tuple[tuple[str, int, int], ...]
_SAFE = ".safetensors"
_BLOCK = 1 << 23
_READERS = 4
_LIBRARIES = ("transformers", "tokenizers", "sentence-transformers")
_MOST_LAYERS = 1000
_WIDTHS = ("hidden_size", "d_model", "dim", "n_embd", "embedding_size", "in_features")  # columns of most matrices
_SIZES = lazy_pattern(r"_size$|dim$|d_model|d_ff|n_embd|max_position_embeddings|features$")
_SPARE = 1 << 26  # bytes of what is computed and not kept, such as places in a text
# Kinds of models in which what is too large for fp16 ends as NaN. Others, as mBART, go on with the largest that fits.
_SHOW_OVERFLOW = frozenset({"albert", "bert", "camembert", "distilbert", "electra", "mpnet", "roberta", "xlm-roberta"})
Json = TypeVar("Json", dict[str, Any], list[Any])


def tokenizer_fault(location: str, tokenizer: Any, pieces: int) -> str:
    """Why a tokenizer does not fit a model that knows so many pieces; empty where it does.

    Numbers of pieces may have gaps, so the highest one counts, and not how many there are.
    """
    highest = max(tokenizer.get_vocab().values(), default=-1)
    if highest < pieces:
        return ""
    return f"the tokenizer of {location!r} has a piece with the number {highest}, and the model knows {pieces} pieces"


def describe_missing(source: str, model: Any, report: Mapping[str, Iterable[Any]], new_head: bool) -> str:
    """What the library made up because the files lack it; a head that is to be trained has to be.

    A pooler belongs to the head: models that were trained to guess hidden words have none.
    """
    mismatched = (entry[0] if isinstance(entry, tuple) else entry for entry in report["mismatched_keys"])
    made_up = sorted({*report["missing_keys"], *mismatched})
    body = "" if model.base_model is model else f"{model.base_model_prefix}."
    if body_lacks := [key for key in made_up if key.startswith(body) and not key.startswith(f"{body}pooler.")]:
        return f"{source!r} is not whole: {body_lacks[0]} is not in it"
    if made_up and not new_head:
        return f"{source!r} has no head that labels tokens: {made_up[0]} is not in it; expected one that was trained to"
    return ""


class ModelFiles(NamedTuple):
    """A folder that holds a model, and what tells its content from any other's."""

    folder: Path
    revision: str


class PretrainedModel:
    """A model by its name on the hub or by folder: found and checked at once, loaded when it is asked."""

    def __init__(
        self, name: SourceName, role: Role, settings: ModelSettings, cache: Cache, watch: Watch | None = None
    ) -> None:
        self.location = name.location
        self.role = role
        self.settings = settings
        self.cache = cache
        self.watch = watch
        self.folder, self.revision = model_files(name, role)
        if settings.dtype == "fp16" and (unsafe_kinds := _kinds(self.folder) - _SHOW_OVERFLOW):
            raise ResourceError(
                f"{role.what}: {self.location!r} is of the kind {shorten(min(unsafe_kinds))}, which may hide what is "
                f"too large for fp16; expected one of {', '.join(sorted(_SHOW_OVERFLOW))}, or --dtype bf16 or fp32"
            )

    @property
    def identity(self) -> tuple[object, ...]:
        """All that its answers depend on beside what it is asked."""
        return self.revision, library_versions(), self.settings.dtype

    def without_packages(self) -> ResourceError:
        return self.role.missing_error(f"the model {self.location!r} needs packages that are not installed", EXTRA)


def state_of(folder: Path | None) -> Changed:
    """What tells a folder that was changed meanwhile; a model of the hub stays what it is."""
    if folder is None or not folder.is_dir():
        return ()
    files: list[Path] = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return tuple((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files)


def model_files(name: SourceName, role: Role, parts: Parts = _PARTS) -> ModelFiles:
    """Finds a model's files. Raises ResourceError with the ways out when they cannot be had.

    `parts` says what the folder needs. Without weights among them, none are fetched.
    """
    folder = name.folder
    if folder is None:
        return _from_hub(name, role, parts)
    if not folder_exists(name.location):
        raise role.missing_error(f"there is no folder {name.location!r}", "check its name")
    if lacking := _find_missing(folder, parts):  # before anything is read: the folder may be anything, and large
        raise role.missing_error(
            f"the folder {name.location!r} holds no model: there is no {lacking} in it", "check its files"
        )
    if endless := _endless(folder):
        raise role.missing_error(f"in the folder {name.location!r}, {endless} is a pipe or a device", "check its files")
    if WEIGHTS in parts:
        _refuse_pickles(folder, name.location, role)
    if vast := _too_vast(folder):
        raise role.missing_error(
            f"the folder {name.location!r} holds no model that can be built: {vast}", "check its files"
        )
    try:
        return ModelFiles(folder, folder_digest(folder))
    except OSError as error:
        reason = f"the folder {name.location!r} cannot be read: {error.strerror} ({error.filename})"
        raise role.missing_error(reason, "open it to yourself") from error


def _find_missing(folder: Path, parts: Parts) -> str:
    """What a model's folder needs and does not have; empty when it is complete.

    Without files of its own a tokenizer would not fail: one that knows no word would be made up.
    """
    for part, patterns in parts.items():
        if not any(any(folder.glob(pattern)) for pattern in patterns):
            return part
    return ""


def _endless(folder: Path) -> str:
    """What stands among a model's files and is none: nobody knows whether reading a pipe or a device ever ends."""
    special_files = (
        path for path in sorted(folder.rglob("*")) if path.exists() and not (path.is_file() or path.is_dir())
    )
    return next((path.relative_to(folder).as_posix() for path in special_files), "")


def _kinds(folder: Path) -> set[str]:
    """What a model is made like, by its configurations; `none` where that is not said."""
    configurations = [_json(path, dict) for path in folder.glob("**/config.json")]
    return {str(configuration["model_type"]) for configuration in configurations if "model_type" in configuration} or {
        "none"
    }


def _too_vast(folder: Path) -> str:
    """A size of which a library would build hours of layers or gigabytes before it noticed that no weights have it."""
    weight_bytes = sum(path.stat().st_size for path in folder.rglob(f"*{_SAFE}") if path.is_file())
    for path in sorted(folder.glob("**/config.json")):
        numbers = {key: value for key, value in _json(path, dict).items() if type(value) is int}
        width = max((numbers[key] for key in _WIDTHS if key in numbers), default=1)
        relative_path = path.relative_to(folder)
        for key, value in numbers.items():
            if "layers" in key and value > _MOST_LAYERS:
                return f"{relative_path} says {key}={value}; expected at most {_MOST_LAYERS}"
            if (
                _SIZES.search(key) and value * width > weight_bytes + _SPARE
            ):  # a matrix of so many rows, of a byte a number
                return f"{relative_path} says {key}={shorten(str(value))}, for which its weights are too small"
    return ""


def _from_hub(name: SourceName, role: Role, parts: Parts) -> ModelFiles:
    try:
        from huggingface_hub import errors, snapshot_download
    except ImportError as error:
        raise role.missing_error(f"the model {name.location!r} needs packages that are not installed", EXTRA) from error
    # Some versions of the hub's library ask by way of one whose errors are no OSError.
    network: type[Exception] = getattr(errors, "HTTPError", OSError)
    repository = (
        f"sentence-transformers/{name.location}" if name.kind == "st" and "/" not in name.location else name.location
    )
    wanted = [*_WANTED] if WEIGHTS in parts else [pattern for pattern in _WANTED if not pattern.endswith(_SAFE)]
    options = {"revision": name.revision or None, "allow_patterns": wanted, "ignore_patterns": _UNWANTED}
    try:
        try:
            # What is here already stays what it is: a model that its owner changes must not change a number unseen.
            folder = Path(snapshot_download(repository, local_files_only=True, **options))
        except FileNotFoundError:
            folder = Path(snapshot_download(repository, **options))
        if _find_missing(folder, parts):  # somebody asked for a part of it once; the rest is fetched at the same commit
            folder = Path(snapshot_download(repository, **{**options, "revision": folder.name}))
    except errors.GatedRepoError as error:
        raise role.missing_error(
            f"the hub gives {repository!r} only to whom its owner admits", "log in to the hub"
        ) from error
    except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError) as error:
        revision = f" at revision {name.revision!r}" if name.revision else ""
        raise role.missing_error(f"the hub has no model {repository!r}{revision}", "check its name") from error
    except errors.HFValidationError as error:
        raise role.missing_error(f"{repository!r} is no name of a model: {error}", "check its name") from error
    except (OSError, network) as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EACCES, errno.EROFS):
            raise role.missing_error(
                f"the model {repository!r} cannot be stored: {error.strerror}", "make room for it"
            ) from error
        reason = f"the model {repository!r} is not on this machine and the hub cannot be reached"
        raise role.missing_error(reason, "connect to it once") from error
    if lacking := _find_missing(folder, parts):
        raise role.missing_error(f"{repository!r} cannot be used: there is no {lacking} in it", "check its name")
    if WEIGHTS in parts:
        _refuse_pickles(folder, repository, role)
    return ModelFiles(folder, folder.name)  # the hub's copy lies in a folder named by the commit


def foreign_code(folder: Path) -> str:
    """A part of an embedding model that is not the library's own; some versions of it would run that unasked."""
    kinds = (str(part.get("type", "")) for part in _parts(folder))
    return next((kind for kind in kinds if not kind.startswith("sentence_transformers.")), "")


def _parts(folder: Path) -> list[dict[str, Any]]:
    """The parts of an embedding model, as it lists them."""
    return [part for part in _json(folder / "modules.json", list) if isinstance(part, dict)]


def _json(path: Path, cls: type[Json]) -> Json:
    """What a file says, read as the libraries read it; nothing where they cannot either, or it is of another kind."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return cls()
    return content if isinstance(content, cls) else cls()


def _refuse_pickles(folder: Path, location: str, role: Role) -> None:
    if pickled := _find_pickle(folder):
        reason = f"{location!r} has weights in a file that can carry code ({pickled})"
        raise role.missing_error(reason, "save them as safetensors")


def _find_pickle(folder: Path) -> str:
    """A file of weights that a library would read although it is none of safetensors; empty when there is none.

    A library takes safetensors where it has the choice. It has none where a list of files or a configuration names
    another, or where a part of an embedding model has no other.
    """
    for index in sorted(folder.rglob(f"*{_SAFE}.index.json")):
        listed = _json(index, dict).get("weight_map")
        for file in listed.values() if isinstance(listed, dict) else ():
            if not str(file).endswith(_SAFE):
                return f"{file}, named by {index.name}"
    for config in sorted(folder.rglob("config.json")):
        file = _json(config, dict).get("transformers_weights")
        if file is not None and not str(file).endswith((_SAFE, f"{_SAFE}.index.json")):
            return f"{file}, named by {config.name}"
    if "adapter_model" in (alone := _unsafe_alone(folder)):
        return alone
    for path in filter(None, (str(part.get("path", "")) for part in _parts(folder))):
        home = folder / path
        if "\0" in path or not Path(os.path.realpath(home)).is_relative_to(os.path.realpath(folder)):
            return f"{path}, outside of its folder"
        try:
            folders = (home, *sorted(below for below in home.rglob("*") if below.is_dir()))
            unsafe = next(filter(None, map(_unsafe_alone, folders)), "")
        except OSError:  # a name too long, say
            return f"{shorten(path)}, which is no folder"
        if unsafe:
            return f"{path}: {unsafe}"
    return ""


def _unsafe_alone(folder: Path) -> str:
    """A file of weights beside which there is no safe one for a library to prefer."""
    for unsafe, safe in (("adapter_model.bin", "adapter_model"), ("pytorch_model.bin", "model")):
        if (folder / unsafe).exists() and not (folder / f"{safe}{_SAFE}").exists():
            return unsafe
    return ""


def folder_digest(folder: Path) -> str:
    """Changes whenever a file in the folder does."""
    total = hashlib.blake2b(digest_size=16)
    with ThreadPoolExecutor(_READERS) as pool:  # a model is large; its blocks are read side by side
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                size = path.stat().st_size
                total.update(f"{path.relative_to(folder).as_posix()}\0{size}\0".encode())
                for digest in pool.map(partial(_block_digest, path), range(0, size, _BLOCK)):
                    total.update(digest)
    return total.hexdigest()


def _block_digest(path: Path, start: int) -> bytes:
    with path.open("rb") as file:
        file.seek(start)
        return hashlib.blake2b(file.read(_BLOCK), digest_size=16).digest()


@cache
def library_versions(*packages: str) -> str:
    """The libraries that cut texts and run models, as far as they are here; their next version may cut another way."""
    from importlib.metadata import PackageNotFoundError, version

    versions = []
    for package in packages or _LIBRARIES:
        with suppress(PackageNotFoundError):
            versions.append(f"{package} {'.'.join(version(package).split('.')[:2])}")
    return ", ".join(versions)


@contextmanager
def guard_loading(location: str, purpose: str, role: Role) -> Iterator[None]:
    """Whatever is wrong with a model's files, one line says so, with the ways out."""

    def useless(reason: str) -> ResourceError:
        if "ignore_mismatched_sizes" in reason:  # the library's hint for programmers
            reason = "its weights are of other sizes than its config.json says"
        return role.missing_error(f"{location!r} cannot be loaded as {purpose}: {reason}", "check its files")

    with guard_errors(useless), quietly():
        yield


@contextmanager
def guard_errors(as_error: Callable[[str], ResourceError]) -> Iterator[None]:
    """Whatever a library stumbles over in a model's files becomes one line, and other metrics go on.

    Libraries raise anything there: what a configuration means by a word for a number is found out deep inside them.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (ShowthroughError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # a panic of a library in Rust is no Exception
        raise as_error(reason_of(error)) from error


@contextmanager
def quietly() -> Iterator[None]:
    """Loads a model without the library's bars and reports: what matters in them is checked and told in our words."""
    with silence_library(), _mute_stdout():
        yield


@contextmanager
def silence_library() -> Iterator[None]:
    """Without what the library says of itself; whatever others print is printed."""
    from transformers.utils import logging

    verbosity, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bar:
            logging.enable_progress_bar()


@contextmanager
def _mute_stdout() -> Iterator[None]:
    """Nothing gets to standard output: a library in Rust prints what it does not know of a file there, as it stands."""
    try:
        saved_stdout = os.dup(1)
    except OSError:  # it is closed
        yield
        return
    sys.stdout.flush()
    null_device = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null_device, 1)
    try:
        yield
    finally:
        os.dup2(saved_stdout, 1)
        os.close(saved_stdout)
        os.close(null_device)
