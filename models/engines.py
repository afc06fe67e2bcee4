"""What execution providers make of a model before they can run it, kept so that it is made once.

TensorRT's engines take minutes, ONNX Runtime's optimised graph for the CPU a tenth of a second; both are kept in the
same way, a folder each:

    <models>/.engines/<key>/engine.json    what it was made from, and the SHA-256 of each file
                           /graph.onnx     optimised graph, where the providers can write one
                           /*.engine ...   TensorRT's own files

An engine is used only while everything in its key is as it was, and its files are the recorded ones. The record is
written last, so that an engine without one was never finished.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import platform
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import onnxruntime as ort

from vedette.errors import ModelError

GRAPH_FILE: Final = "graph.onnx"
_RECORD_FILE: Final = "engine.json"
_KEY_LENGTH: Final = 32  # hexadecimal digits; half of a SHA-256 tells engines apart


@dataclass(frozen=True)
class EngineKey:
    """All that an engine depends on; another value of any makes another engine.

    Args:
        model_sha256: of the ONNX file, or of the part of one.
        shapes: of its inputs, as text.
        providers: execution providers in order of preference.
        runtime: name and version.
        device: what it runs on.
    """

    model_sha256: str
    shapes: str
    providers: tuple[str, ...]
    runtime: str
    device: str

    @classmethod
    def here(cls, model_sha256: str, shapes: str, providers: Sequence[str]) -> EngineKey:
        """The key on this machine, with this runtime.

        Args:
            model_sha256: of the ONNX file, or of the part of one.
            shapes: of its inputs, as text.
            providers: execution providers in order of preference.
        """
        return cls(model_sha256, shapes, tuple(providers), runtime_name(), device_name())

    @property
    def digest(self) -> str:
        """Names the engine's folder."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:_KEY_LENGTH]


@dataclass(frozen=True)
class StoredEngine:
    """An engine's folder.

    Args:
        folder: holds the files.
        owner_sha256: of the model whose engine, or whose part's engine, it is; None where it was never finished.
        key: what it was made from; None likewise.
    """

    folder: Path
    owner_sha256: str | None
    key: EngineKey | None

    @property
    def size_bytes(self) -> int:
        """Of all its files."""
        paths = self.folder.rglob("*") if self.folder.is_dir() else [self.folder]
        return sum(path.stat().st_size for path in paths if path.is_file())


class EngineCache:
    """The folder of engines.

    Args:
        folder: created when something is put in.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def folder_of(self, key: EngineKey) -> Path:
        """Where the engine of a key is, or would be.

        Args:
            key: of the engine.
        """
        return self.folder / key.digest

    def is_ready(self, key: EngineKey) -> bool:
        """Whether the engine is there, finished, undamaged, and may be read.

        Args:
            key: of the engine.
        """
        folder = self.folder_of(key)
        record = _read_record(folder)
        if record is None or _key_in(record) != key:
            return False
        try:
            hashes = _hashes(folder)
        except OSError:  # the model itself will do
            return False
        return all(hashes.get(name) == sha256 for name, sha256 in record["files"].items())

    @contextmanager
    def alone(self, waiting: Callable[[], None]) -> Iterator[None]:
        """Let no other process make engines meanwhile: one that is in the making looks like one that was given up.

        Where nothing can be written nothing can be made either, and nobody is waited for.

        Args:
            waiting: called where another process has to be waited for.
        """
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            lock = self.folder.with_name(f"{self.folder.name}.lock").open("w", encoding="utf-8")
        except OSError:
            yield
            return
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                waiting()
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def make_folder(self, key: EngineKey) -> Path:
        """An empty folder to make the engine in; one that is there is of no use, and is removed.

        Args:
            key: of the engine.

        Raises:
            ModelError: it cannot be made.
        """
        folder = self.folder_of(key)
        try:
            if folder.exists():
                shutil.rmtree(folder)
            folder.mkdir(parents=True)
        except OSError as error:
            raise ModelError(f"{folder}: cannot be made ({error.strerror}); engines have to be kept there") from error
        return folder

    def finish(self, key: EngineKey, owner_sha256: str) -> None:
        """Record that an engine is whole; from now on it is used.

        Args:
            key: of the engine.
            owner_sha256: of the model that it belongs to.

        Raises:
            ModelError: the record cannot be written.
        """
        folder = self.folder_of(key)
        record = {"owner_sha256": owner_sha256, "key": asdict(key), "files": _hashes(folder)}
        pending = folder / f".{_RECORD_FILE}"
        try:
            pending.write_text(json.dumps(record, indent=2), encoding="utf-8")
            pending.replace(folder / _RECORD_FILE)
        except OSError as error:
            raise ModelError(f"{folder / _RECORD_FILE}: cannot be written ({error.strerror})") from error

    def engines(self) -> list[StoredEngine]:
        """Everything in the folder, also what was never finished."""
        if not self.folder.is_dir():
            return []
        return [_stored(path) for path in sorted(self.folder.iterdir())]

    def stale(self, model_sha256s: Iterable[str]) -> list[StoredEngine]:
        """The engines that nothing here will use: of models, runtimes or devices that are gone, or never finished.

        Args:
            model_sha256s: of the models there are.
        """
        models, here = set(model_sha256s), (runtime_name(), device_name())
        return [
            one
            for one in self.engines()
            if one.key is None or one.owner_sha256 not in models or (one.key.runtime, one.key.device) != here
        ]

    def remove(self, engines: Iterable[StoredEngine]) -> None:
        """Delete some engines.

        Args:
            engines: from `engines` or `stale`.

        Raises:
            ModelError: one cannot be deleted.
        """
        for one in engines:
            try:
                if one.folder.is_dir():
                    shutil.rmtree(one.folder)
                else:
                    one.folder.unlink(missing_ok=True)
            except OSError as error:
                raise ModelError(f"{one.folder}: cannot be removed ({error.strerror})") from error


class EngineBuild:
    """Keeps account of the engines that one model needs while it is made ready.

    Args:
        cache: where they are kept.
        owner_sha256: of the model.
    """

    def __init__(self, cache: EngineCache, owner_sha256: str) -> None:
        self._cache = cache
        self._owner_sha256 = owner_sha256
        self._begun: list[EngineKey] = []
        self.found = 0

    @property
    def made(self) -> int:
        """How many had to be made."""
        return len(self._begun)

    def begin(self, key: EngineKey) -> Path | None:
        """A session is about to be opened.

        Args:
            key: of its engine.

        Returns:
            The folder to make the engine in; None where it is there already.

        Raises:
            ModelError: the folder cannot be made.
        """
        if key in self._begun:
            return self._cache.folder_of(key)
        if self._cache.is_ready(key):
            self.found += 1
            return None
        self._begun.append(key)
        return self._cache.make_folder(key)

    def finish(self) -> None:
        """Record all that were made, once they have run: TensorRT writes its files during the first run.

        Raises:
            ModelError: a record cannot be written.
        """
        for key in self._begun:
            self._cache.finish(key, self._owner_sha256)


def runtime_name() -> str:
    """Name and version of what runs models."""
    return f"onnxruntime {ort.__version__}"


def device_name() -> str:
    """The board or processor, which optimised graphs and engines are made for."""
    board = _first_line(Path("/proc/device-tree/model"))
    processor = _first_line(Path("/proc/cpuinfo"), "model name").partition(":")[2].strip()
    return " ".join([platform.machine(), board or processor or platform.processor()]).strip()


def _first_line(path: Path, beginning: str = "") -> str:
    """The first line with that beginning; empty where there is none, or no such file."""
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            return next((line for line in lines if line.startswith(beginning)), "").strip("\0\n ")
    except OSError:
        return ""


def _hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of each file of an engine, the record left out."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name.removeprefix(".") != _RECORD_FILE
    }


def _read_record(folder: Path) -> dict[str, Any] | None:
    """The record of an engine; None where there is none that can be used."""
    try:
        record = json.loads((folder / _RECORD_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(record, dict) or not isinstance(record.get("files"), dict):
        return None
    return record if "owner_sha256" in record and _key_in(record) is not None else None


def _key_in(record: dict[str, Any]) -> EngineKey | None:
    try:
        return EngineKey(**{**record["key"], "providers": tuple(record["key"]["providers"])})
    except (KeyError, TypeError):
        return None


def _stored(path: Path) -> StoredEngine:
    record = _read_record(path)
    if record is None:
        return StoredEngine(path, None, None)
    return StoredEngine(path, str(record["owner_sha256"]), _key_in(record))
