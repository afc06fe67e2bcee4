"""Pictures with labels on disk, and their value in memory.

A folder holds shards, one for each world; a shard is a folder, complete when its last file is there:

    SHARD/shard.json       the last: what made it, every picture with its objects, and the SHA-256 of every file
    SHARD/0000.jpg         the picture
    SHARD/0000.png         uint16, whose each pixel is: id of the actor, 0 for nobody

Boxes in ``shard.json`` are as labels have them: the first pixel's centre is at 0.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import cv2
import numpy as np

from vedette.classes import ObjectClass
from vedette.errors import DataError, MissingDataError
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt, NDArrayUInt8
from vedette.json_text import check_keys, read_json_object
from vedette.models.camera2d.decode import PIXEL_CENTRE
from vedette.models.store import sha256_of
from vedette.paths import write_whole

SHARD_FILE: Final = "shard.json"
SCHEMA_VERSION: Final = 1
CLASSES: Final = (
    ObjectClass.CAR,
    ObjectClass.VAN,
    ObjectClass.TRUCK,
    ObjectClass.BUS,
    ObjectClass.PEDESTRIAN,
    ObjectClass.CYCLIST,
)
"""What the network tells apart, in the order of its score columns."""
NOBODY: Final = -1
"""Where a row of an object is expected: no object."""
OwnerMap: TypeAlias = np.ndarray[Any, np.dtype[np.int32]]
"""``(H,W)`` row of the object that each pixel or cell shows, or `NOBODY`."""


@dataclass(frozen=True, eq=False)
class LabelledPicture:
    """A picture and what is to be found in it.

    Args:
        pixels_bgr: ``(H,W,3) uint8``.
        owners: ``(H,W) int32`` row of the object that each pixel shows, or `NOBODY`.
        boxes_px: ``(N,4) float64`` x1, y1, x2, y2 of the whole silhouette, hidden parts too, clipped to the picture;
            here the first pixel reaches from 0 to 1.
        channels: ``(N,) int64`` score column of each object's class, or `NOBODY` for a class that is not learnt.
        visible_share: ``(N,) float64`` of the silhouette inside the picture.
    """

    pixels_bgr: NDArrayUInt8
    owners: OwnerMap
    boxes_px: NDArrayFloat
    channels: NDArrayInt
    visible_share: NDArrayFloat

    def __len__(self) -> int:
        return len(self.boxes_px)


@dataclass(frozen=True)
class StoredPicture:
    """A picture in a shard.

    Args:
        folder: the shard.
        entry: its part of ``shard.json``.
    """

    folder: Path
    entry: dict[str, Any]

    def read(self) -> LabelledPicture:
        """Decode it.

        Raises:
            DataError: a file is absent or cannot be decoded.
        """
        objects = self.entry["objects"]
        ids = np.array([one["id"] for one in objects], dtype=np.int64)
        owner_ids = _decode(self.folder / self.entry["owners"], cv2.IMREAD_UNCHANGED)
        row_of_id = np.full(int(max(owner_ids.max(initial=0), ids.max(initial=0))) + 1, NOBODY, dtype=np.int32)
        row_of_id[ids] = np.arange(len(ids))
        return LabelledPicture(
            _decode(self.folder / self.entry["picture"], cv2.IMREAD_COLOR),
            row_of_id[owner_ids],
            np.array([one["box_px"] for one in objects], dtype=np.float64).reshape(-1, 4) + PIXEL_CENTRE,
            np.array([channel_of(one["class"]) for one in objects], dtype=np.int64),
            np.array([one["visible_share"] for one in objects], dtype=np.float64),
        )


def channel_of(label: str) -> int:
    """Score column of a class, or `NOBODY`.

    Args:
        label: of the class.
    """
    return next((channel for channel, member in enumerate(CLASSES) if member.label == label), NOBODY)


class PictureSet:
    """The pictures of a folder of shards.

    Args:
        folder: holds the shards.

    Raises:
        MissingDataError: it has none.
        DataError: a shard is of another schema, or none.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        paths = sorted(folder.glob(f"*/{SHARD_FILE}"))
        if not paths:
            raise MissingDataError(f"{folder}: no pictures; expected a folder that vedette models samples has written")
        shards = [_read_shard(path) for path in paths]
        self.pictures = [
            StoredPicture(path.parent, entry)
            for path, shard in zip(paths, shards, strict=True)
            for entry in shard["pictures"]
        ]
        self.recipe = _recipe(shards)
        self.fingerprint = hashlib.sha256("".join(map(sha256_of, paths)).encode()).hexdigest()

    def __len__(self) -> int:
        return len(self.pictures)


def _recipe(shards: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How all of them were made."""
    seeds = [shard["made_from"]["seed"] for shard in shards]
    return {
        "worlds": len(shards),
        "first_seed": min(seeds),
        "last_seed": max(seeds),
        "each": max(len(shard["pictures"]) for shard in shards),
        "scale": sorted({shard["made_from"]["scale"] for shard in shards}),
    }


def _read_shard(path: Path) -> dict[str, Any]:
    expected = "a shard as vedette models samples writes it: make it anew"
    shard = read_json_object(path, {"schema": int, "made_from": dict, "pictures": list}, expected)
    if shard["schema"] != SCHEMA_VERSION:
        raise DataError(f"{path}: schema {shard['schema']}; expected {SCHEMA_VERSION}: make the shard anew")
    check_keys(shard["made_from"], {"seed": int, "scale": (int, float)}, path, expected)
    for entry in shard["pictures"]:
        check_keys(entry, {"picture": str, "owners": str, "objects": list}, path, expected)
    return shard


def write_shard(folder: Path, made_from: dict[str, Any], pictures: Sequence[dict[str, Any]]) -> None:
    """Write what tells that a shard is complete, after all its pictures.

    Args:
        folder: the shard, with the files in it.
        made_from: what made it.
        pictures: each with ``picture``, ``owners`` (names of files) and ``objects`` (``id``, ``class``, ``box_px``,
            ``visible_share``, and what else is known).
    """
    names = [entry[key] for entry in pictures for key in ("picture", "owners")]
    hashes = {name: sha256_of(folder / name) for name in names}
    shard = {"schema": SCHEMA_VERSION, "made_from": made_from, "sha256": hashes, "pictures": list(pictures)}
    write_whole(folder / SHARD_FILE, json.dumps(shard).encode())


def is_ignored(boxes_px: NDArrayFloat, visible_share: NDArrayFloat, least_px: float, least_share: float) -> NDArrayBool:
    """Which objects are neither to be found nor to be missed: too small or too hidden for anybody to judge.

    Args:
        boxes_px: ``(N,4)``.
        visible_share: ``(N,)`` of the silhouette.
        least_px: height below which an object is ignored.
        least_share: visible share below which it is.
    """
    ignored: NDArrayBool = (boxes_px[:, 3] - boxes_px[:, 1] < least_px) | (visible_share < least_share)
    return ignored


def _decode(path: Path, flags: int) -> Any:
    pixels = cv2.imread(str(path), flags)
    if pixels is None:
        raise DataError(f"{path}: cannot be decoded; make the shard anew")
    return pixels
