"""Samples with a car or two, small enough to learn from in seconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.models.pillars.training.shards import NOBODY, Sample, SampleSet, write_manifest, write_shard

Car = tuple[float, float, float]


def scene(
    cars: Sequence[Car],
    seed: int = 0,
    points_each: int = 120,
    classes: Sequence[ObjectClass] | None = None,
) -> Sample:
    """Cars of 4.0 x 1.7 x 1.5 m with points all over them, on ground 1.75 m below the sensor: 5 cm under the wheels."""
    rng = np.random.default_rng(seed)
    boxes = np.array([[x, y, -0.95, 4.0, 1.7, 1.5, yaw] for x, y, yaw in cars]).reshape(-1, 7)
    ground = np.column_stack([rng.uniform(2, 60, 1500), rng.uniform(-25, 25, 1500), np.full(1500, -1.75)])
    clouds, owners = [ground], [np.full(len(ground), NOBODY)]
    for row, box in enumerate(boxes):
        local = rng.uniform(-0.5, 0.5, (points_each, 3)) * box[3:6]
        cos, sin = np.cos(box[6]), np.sin(box[6])
        clouds.append(local @ np.array([[cos, sin, 0], [-sin, cos, 0], [0, 0, 1]]) + box[:3])
        owners.append(np.full(points_each, row))
    kinds = [ObjectClass.CAR] * len(boxes) if classes is None else classes
    return Sample(
        np.concatenate(clouds).astype(np.float32),
        np.concatenate(owners).astype(np.int64),
        boxes,
        np.array([int(kind) for kind in kinds], np.int64),
    )


@pytest.fixture
def make_scene() -> Callable[..., Sample]:
    """Makes a sample of cars, each x, y, yaw."""
    return scene


def _write(folder: Path) -> Path:
    rng = np.random.default_rng(3)
    scenes = [
        scene([(rng.uniform(8, 40), rng.uniform(-10, -2), rng.uniform(-3, 3)), (rng.uniform(8, 40), 6.0, 0.1)], seed)
        for seed in range(12)
    ]
    shards = {name: write_shard(folder / name, part) for name, part in (("a.npz", scenes[:5]), ("b.npz", scenes[5:]))}
    recipe = {"scenarios": ["by hand"], "first_seed": 0, "last_seed": 11, "scans": 1}
    write_manifest(folder, recipe, shards)
    return folder


@pytest.fixture
def sample_folder(tmp_path: Path) -> Path:
    """Twelve scenes of two cars each, in two shards."""
    return _write(tmp_path)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> SampleSet:
    """The same, read back."""
    return SampleSet(_write(tmp_path_factory.mktemp("samples")))
