"""Labelled points, and the files that hold them.

A folder of samples holds shards, `shard-00000.npz` and so on, and `manifest.json`, which says how they were made and
gives the SHA-256 of each. Coordinates are stored as int16 in steps of 2.5 mm, which reaches 81.9 m; an eighth of a
LiDAR's own noise is lost.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vedette.errors import FileFormatError, MissingDataError
from vedette.geometry import NDArrayFloat, NDArrayFloat32, NDArrayInt
from vedette.json_text import read_json_object
from vedette.models.pillars.ground import Plane, levelled, road_plane
from vedette.paths import write_whole

STEP_M: Final = 0.0025
REACH_M: Final = STEP_M * np.iinfo(np.int16).max
NOBODY: Final = -1
MANIFEST_FILE: Final = "manifest.json"


@dataclass(frozen=True)
class Sample:
    """What a LiDAR saw, and whose the points are.

    Args:
        points_velo_m: ``(N,3) float32``, velo frame.
        owners: ``(N,) int64`` row of the box whose owner each point was reflected by, or `NOBODY`.
        boxes_velo: ``(M,7) float64``, velo frame.
        class_ids: ``(M,) int64`` values of `ObjectClass`.
    """

    points_velo_m: NDArrayFloat32
    owners: NDArrayInt
    boxes_velo: NDArrayFloat
    class_ids: NDArrayInt

    @property
    def points_hit(self) -> NDArrayInt:
        """``(M,) int64`` points on each object."""
        hit: NDArrayInt = np.bincount(self.owners[self.owners != NOBODY], minlength=len(self.boxes_velo))
        return hit


def level(sample: Sample) -> tuple[Sample, Plane]:
    """The sample as a level sensor would have it, and the road's plane in the sample as it is.

    Args:
        sample: what was seen.
    """
    plane = road_plane(sample.points_velo_m)
    boxes = sample.boxes_velo.copy()
    boxes[:, 2] -= plane.height_m(boxes)
    return replace(sample, points_velo_m=levelled(sample.points_velo_m, plane), boxes_velo=boxes), plane


@dataclass(frozen=True)
class _Packed:
    """Many samples in a few arrays, as stored."""

    points: NDArray[np.int16]
    owners: NDArray[np.int16]
    point_counts: NDArrayInt
    boxes_velo: NDArrayFloat32
    class_ids: NDArray[np.int8]
    box_counts: NDArrayInt


class SampleSet:
    """The samples of a folder, kept in memory as stored: 8 bytes a point.

    Args:
        folder: written by `write_shard` and `write_manifest`.

    Raises:
        MissingDataError: it has no manifest, or lacks a shard.
        FileFormatError: a shard is not the one that the manifest speaks about.
    """

    def __init__(self, folder: Path) -> None:
        manifest = read_manifest(folder)
        self.folder = folder
        hashes = manifest["shards"]
        self.recipe: dict[str, Any] = manifest["recipe"]
        self._places: list[tuple[_Packed, slice, slice]] = []
        for name in sorted(hashes):
            self._places += _places(_read_shard(folder / name, hashes[name]))
        self.fingerprint = hashlib.sha256("".join(sorted(hashes.values())).encode()).hexdigest()

    @property
    def of_world(self) -> bool:
        """Whether the samples were generated; else they are of recordings."""
        return "scenarios" in self.recipe

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Sample]:
        return (self[index] for index in range(len(self)))

    def __getitem__(self, index: int) -> Sample:
        """One sample by its number."""
        packed, points, boxes = self._places[index]
        return Sample(
            packed.points[points].astype(np.float32) * np.float32(STEP_M),
            packed.owners[points].astype(np.int64),
            packed.boxes_velo[boxes].astype(np.float64),
            packed.class_ids[boxes].astype(np.int64),
        )


def write_shard(path: Path, samples: Sequence[Sample]) -> str:
    """Store some samples.

    Args:
        path: the file.
        samples: at least one; points beyond `REACH_M` along any axis must have been left out.

    Returns:
        SHA-256 of the file.
    """
    steps = np.concatenate([sample.points_velo_m for sample in samples]) / STEP_M
    np.savez(
        path,
        points=np.round(steps).astype(np.int16),
        owners=np.concatenate([sample.owners for sample in samples]).astype(np.int16),
        point_counts=np.array([len(sample.points_velo_m) for sample in samples]),
        boxes_velo=np.concatenate([sample.boxes_velo for sample in samples]).astype(np.float32),
        class_ids=np.concatenate([sample.class_ids for sample in samples]).astype(np.int8),
        box_counts=np.array([len(sample.boxes_velo) for sample in samples]),
    )
    return _sha256(path)


def write_manifest(folder: Path, recipe: Mapping[str, Any], shards: Mapping[str, str]) -> None:
    """Say what the shards are; written last, so that a folder with a manifest is whole.

    Args:
        folder: of the shards.
        recipe: how they were made.
        shards: SHA-256 by file name.
    """
    text = json.dumps({"recipe": dict(recipe), "shards": dict(sorted(shards.items()))}, indent=1)
    write_whole(folder / MANIFEST_FILE, f"{text}\n".encode())


def read_manifest(folder: Path) -> dict[str, Any]:
    """What `write_manifest` wrote.

    Args:
        folder: of samples.

    Raises:
        MissingDataError: it has no manifest.
        FileFormatError: it is not as `write_manifest` writes it, or speaks of no shards in the folder.
    """
    path = folder / MANIFEST_FILE
    expected = "a recipe, and the SHA-256 of shards in this folder, as vedette models samples writes them"
    manifest = read_json_object(path, {"recipe": dict, "shards": dict}, expected)
    if not manifest["shards"] or any(Path(name).name != name for name in manifest["shards"]):
        raise FileFormatError(path, met=f"shards {str(manifest['shards'])[:60]}", expected=expected)
    return manifest


def _read_shard(path: Path, sha256: str) -> _Packed:
    if not path.exists():
        raise MissingDataError(f"{path}: not there, though its manifest names it; write the samples again")
    if _sha256(path) != sha256:
        raise FileFormatError(path, met="another content", expected="the SHA-256 of its manifest")
    with np.load(path) as arrays:
        return _Packed(**arrays)


def _places(packed: _Packed) -> list[tuple[_Packed, slice, slice]]:
    points, boxes = _runs(packed.point_counts), _runs(packed.box_counts)
    return [(packed, *pair) for pair in zip(points, boxes, strict=True)]


def _runs(counts: NDArrayInt) -> list[slice]:
    ends = np.cumsum(counts)
    return [slice(int(end - count), int(end)) for end, count in zip(ends, counts, strict=True)]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
