"""The folders that hold models: `<folder>/<name>/<version>/{model.onnx, card.yaml}`, and the companions on the card.

Two folders are searched: the user's, where imports go, and the packaged one, which is read-only. A model appears in a
folder by one rename, so that a reader sees all of it or nothing.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from vedette.errors import ModelCardError, ModelError, ModelHashError, UnknownModelError
from vedette.models.cards import ModelCard, card_as_yaml, read_card, version_key
from vedette.models.catalog import known_cards
from vedette.models.scratch import scratch_folder
from vedette.paths import may_never_end, path_from_user

PACKAGED_FOLDER: Final = Path(__file__).parent / "weights"
"""Models that come with the package."""
MODEL_FILE: Final = "model.onnx"
CARD_FILE: Final = "card.yaml"


@dataclass(frozen=True)
class StoredModel:
    """A model in a folder.

    Args:
        folder: holds the files.
        card: the card read from there.
    """

    folder: Path
    card: ModelCard

    @property
    def model_path(self) -> Path:
        """The ONNX file."""
        return self.folder / MODEL_FILE

    @property
    def companion_paths(self) -> dict[str, Path]:
        """The further ONNX files, by name."""
        return {one.name: self.folder / f"{one.name}.onnx" for one in self.card.companions}

    def verify(self) -> None:
        """Compare the files with their card.

        Raises:
            ModelHashError: a file is not the one that the card speaks about.
            ModelError: a file is absent or cannot be read.
        """
        check_hash(self.model_path, self.card.sha256)
        for one in self.card.companions:
            check_hash(self.companion_paths[one.name], one.sha256)


class ModelStore:
    """Finds and takes in models.

    Args:
        folder: the user's models; created by the first import. A leading `~` is the home folder.
        packaged: further models, only read.
    """

    def __init__(self, folder: Path, packaged: Path = PACKAGED_FOLDER) -> None:
        self.folder = path_from_user(folder)
        self._packaged = packaged

    def model_folders(self) -> list[Path]:
        """Every folder that looks like a model's, by name and version, the user's before packaged ones."""
        return [
            version
            for root in (self.folder, self._packaged)
            for name in _visible_folders(root)
            for version in sorted(filter(_is_version, _visible_folders(name)), key=lambda path: version_key(path.name))
        ]

    def is_users(self, folder: Path) -> bool:
        """Whether a model is the user's, and not a packaged one.

        Args:
            folder: one of `model_folders`.
        """
        return folder.is_relative_to(self.folder)

    def packaged(self, name: str) -> list[str]:
        """Labels of the packaged models of a name.

        Args:
            name: without version.
        """
        return [f"{name}@{folder.name}" for folder in _visible_folders(self._packaged / name) if _is_version(folder)]

    def get(self, folder: Path) -> StoredModel:
        """The model in one of `model_folders`.

        Args:
            folder: `<name>/<version>` in one of the searched folders.

        Raises:
            ModelCardError: its card cannot be used, or speaks of another name or version than the folder.
        """
        card = read_card(folder / CARD_FILE)
        if (card.name, card.version) != (folder.parent.name, folder.name):
            raise ModelCardError(
                f"{folder / CARD_FILE}: is the card of {card.label}; expected {folder.parent.name}@{folder.name}, as"
                " its folder says"
            )
        return StoredModel(folder, card)

    def find(self, name: str) -> StoredModel:
        """The model of a name.

        Args:
            name: `name` for the highest version, or `name@version`.

        Raises:
            UnknownModelError: there is none; the message lists what there is, and how to import.
            ModelCardError: its card cannot be used.
        """
        wanted, _, version = name.partition("@")
        fits = [f for f in self.model_folders() if f.parent.name == wanted and version in {"", f.name}]
        if not fits:
            raise UnknownModelError(self._unknown(name))
        return self.get(max(fits, key=lambda folder: (version_key(folder.name), self.is_users(folder))))

    def has(self, card: ModelCard) -> bool:
        """Whether the user's folder holds a model, whole, with this very card.

        Args:
            card: of the model.

        Raises:
            ModelError: another model has that name and version.
        """
        return self._holds(self.folder / card.name / card.version, card)

    def put(
        self, model_path: Path, card: ModelCard, companions: Mapping[str, Path] = MappingProxyType({})
    ) -> StoredModel:
        """Copy a model in under its card's name and version; doing so again changes nothing.

        Args:
            model_path: the ONNX file; its hash must be the card's.
            card: written beside it.
            companions: the further files on the card, by name.

        Raises:
            ModelHashError: a file's hash is not the card's.
            ModelError: another model has that name and version, or the folder cannot be written.
        """
        target = self.folder / card.name / card.version
        try:
            if not self._holds(target, card):
                self._place({MODEL_FILE: model_path, **_named(companions)}, card, target)
        except OSError as error:
            raise ModelError(f"{target}: cannot be written: {error.strerror}; the model was not imported") from error
        return StoredModel(target, card)

    def scratch(self) -> AbstractContextManager[Path]:
        """A folder within the user's, on the same disk, that is gone afterwards.

        Raises:
            OSError: the user's folder cannot be written.
        """
        return scratch_folder(self.folder)

    def _holds(self, target: Path, card: ModelCard) -> bool:
        """Whether the same model is there already, whole; a damaged one is not."""
        if not target.exists():
            return False
        try:
            stored = self.get(target)
            stored.verify()
        except ModelError:
            return False
        if (stored.card.sha256, _hashes(stored.card)) != (card.sha256, _hashes(card)):
            raise ModelError(
                f"{card.label} is already there with another content ({target}); import this one with another"
                " --version or --name"
            )
        return stored.card == card

    def _place(self, files: Mapping[str, Path], card: ModelCard, target: Path) -> None:
        with self.scratch() as scratch:
            fresh = scratch / "fresh"
            fresh.mkdir()
            for name, path in files.items():
                shutil.copyfile(path, fresh / name)
            StoredModel(fresh, card).verify()
            (fresh / CARD_FILE).write_text(card_as_yaml(card), encoding="utf-8")
            for name in (*files, CARD_FILE):
                _to_disk(fresh / name)
            target.parent.mkdir(exist_ok=True)
            if not target.exists():
                fresh.rename(target)
            else:  # mending what is there: each file is whole at any time, and the hash tells if they fit
                for name in (*files, CARD_FILE):
                    (fresh / name).replace(target / name)
            _to_disk(target.parent)

    def _unknown(self, name: str) -> str:
        there = [f"{folder.parent.name}@{folder.name}" for folder in self.model_folders()]
        known = {card.name: card for card in known_cards()}.get(name.partition("@")[0])
        line = (
            f"vedette models import PATH/{known.file}" if known else "vedette models import FILE.onnx --card CARD.yaml"
        )
        return f"no model {name!r} in {self.folder}; there: {', '.join(there) or 'none'}. To add it: {line}"


def _named(companions: Mapping[str, Path]) -> dict[str, Path]:
    """By the names of the files in the model's folder."""
    return {f"{name}.onnx": path for name, path in companions.items()}


def _hashes(card: ModelCard) -> dict[str, str]:
    return {one.name: one.sha256 for one in card.companions}


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, lower-case hexadecimal.

    Args:
        path: the file.

    Raises:
        ModelError: it is absent, cannot be read, or is a pipe or a device, which may never end.
    """
    try:
        if may_never_end(path):
            raise ModelError(f"{path}: neither file nor folder but a pipe or a device; expected an ONNX file")
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror}); expected an ONNX file") from error


def check_hash(path: Path, expected: str) -> None:
    """Compare a file's SHA-256 with what it should be.

    Args:
        path: the file.
        expected: lower-case hexadecimal.

    Raises:
        ModelHashError: it is another.
        ModelError: the file is absent or cannot be read.
    """
    met = sha256_of(path)
    if met != expected:
        raise ModelHashError(
            f"{path}: SHA-256 {met}; its card says {expected}: the file is damaged or another; import it again"
        )


def _visible_folders(parent: Path) -> list[Path]:
    if not parent.is_dir():
        return []
    return sorted(path for path in parent.iterdir() if path.is_dir() and not path.name.startswith("."))


def _is_version(folder: Path) -> bool:
    return all(part.isdecimal() for part in folder.name.split("."))


def _to_disk(path: Path) -> None:
    """A rename that survives a power cut needs the content on the disk before it."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
