"""Photographs that stand behind and before the objects of the world in a training (module `randomised`).

A folder is read once, before the first step. Photographs are kept no larger than the network's input needs, and no more
than `MOST_PHOTOGRAPHS` of them, so that all take half a gigabyte of memory at most. There must be nothing in them that
the network is to find: nobody labels it.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from vedette.errors import MissingDataError
from vedette.geometry import NDArrayUInt8
from vedette.models.store import sha256_of
from vedette.models.training_run import evenly

ENDINGS: Final = (".jpg", ".jpeg", ".png", ".webp")
MOST_PHOTOGRAPHS: Final = 400
MOST_PIXELS: Final = 400_000
"""Of one photograph; larger ones are shrunk: 1.2 MB."""
_MOST_ENLARGED: Final = 3.0
"""Of a part of a photograph, beyond the largest part of its shape."""


@dataclass(frozen=True, eq=False)
class Photographs:
    """The photographs of a folder.

    Args:
        folder: where they are, or in folders of it.
        pictures_bgr: each ``(H,W,3) uint8``, in the order of their paths.
        fingerprint: SHA-256 over the files of all of them.
        unreadable: files that are named like pictures and are none.
        left_out: files beyond `MOST_PHOTOGRAPHS`.
    """

    folder: Path
    pictures_bgr: Sequence[NDArrayUInt8]
    fingerprint: str
    unreadable: Sequence[Path]
    left_out: int

    @property
    def described(self) -> dict[str, Any]:
        """For `config.json`."""
        return {"folder": str(self.folder), "count": len(self.pictures_bgr), "sha256": self.fingerprint}

    @property
    def summary(self) -> str:
        """One line for people: how many are used, and what is not used."""
        parts = [f"photographs of {self.folder}: {len(self.pictures_bgr)} used"]
        if self.left_out:
            parts.append(f"{self.left_out} left out, evenly, for {MOST_PHOTOGRAPHS} are the most that are used")
        if self.unreadable:
            parts.append(f"{len(self.unreadable)} skipped that cannot be read, the first is {self.unreadable[0]}")
        return "; ".join(parts)


def read_photographs(folder: Path) -> Photographs:
    """Read all pictures of a folder and of those in it, as many as are used.

    Args:
        folder: with files that have one of `ENDINGS`.

    Raises:
        MissingDataError: there is no such folder, or nothing in it can be read as a picture.
    """
    if not folder.is_dir():
        raise MissingDataError(f"{folder}: no such folder; expected one with photographs ({' '.join(ENDINGS)})")
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in ENDINGS and path.is_file())
    if not files:
        raise MissingDataError(f"{folder}: no photographs; expected files that end in {' '.join(ENDINGS)}")
    chosen = [files[index] for index in evenly(len(files), MOST_PHOTOGRAPHS)]
    pictures = {path: pixels for path in chosen if (pixels := _read_small(path)) is not None}
    unreadable = [path for path in chosen if path not in pictures]
    if not pictures:
        raise MissingDataError(f"{folder}: none of {len(chosen)} pictures can be read, the first is {unreadable[0]}")
    fingerprint = hashlib.sha256("".join(map(sha256_of, pictures)).encode()).hexdigest()
    return Photographs(folder, tuple(pictures.values()), fingerprint, unreadable, len(files) - len(chosen))


def drawn_part(rng: np.random.Generator, photographs: Photographs, size_px: tuple[int, int]) -> NDArrayUInt8:
    """A part of one of the photographs, mirrored every other time.

    Args:
        rng: draws.
        photographs: to choose from.
        size_px: width and height that it is brought to.

    Returns:
        ``(H,W,3) uint8``.
    """
    photograph = photographs.pictures_bgr[int(rng.integers(len(photographs.pictures_bgr)))]
    height, width = photograph.shape[:2]
    scale = max(size_px[0] / width, size_px[1] / height) * math.exp(rng.uniform(0.0, math.log(_MOST_ENLARGED)))
    part_width, part_height = (max(1, int(side / scale)) for side in size_px)
    x, y = int(rng.integers(width - part_width + 1)), int(rng.integers(height - part_height + 1))
    part = photograph[y : y + part_height, x : x + part_width]
    if rng.random() < 0.5:
        part = part[:, ::-1]
    method = cv2.INTER_AREA if scale < 1.0 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(np.ascontiguousarray(part), size_px, interpolation=method), dtype=np.uint8)


def _read_small(path: Path) -> NDArrayUInt8 | None:
    """The picture with no more than `MOST_PIXELS`, or None where the file holds none."""
    try:
        pixels = cv2.imread(str(path), cv2.IMREAD_COLOR)
    except cv2.error:  # larger than OpenCV decodes
        return None
    if pixels is None:
        return None
    height, width = pixels.shape[:2]
    shrunk = math.sqrt(MOST_PIXELS / (width * height))
    if shrunk < 1.0:
        size_px = (max(1, int(width * shrunk)), max(1, int(height * shrunk)))
        pixels = cv2.resize(pixels, size_px, interpolation=cv2.INTER_AREA)
    return np.asarray(pixels, dtype=np.uint8)
