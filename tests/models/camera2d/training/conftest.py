"""Pictures drawn by a few lines instead of a world: rectangles and ellipses on noise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from vedette.models.camera2d.training.samples import write_shard

SIZE_PX = (256, 96)
"""Width and height."""
SOMEWHERE = [20.0, 0.0, -1.0, 4.0, 1.7, 1.5, 0.0]
"""Where in 3D does not matter to who learns from pictures."""


def draw(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray, list[dict]]:
    """A picture, whose each pixel is, and the objects: ellipses are people, rectangles cars; later hide earlier."""
    width, height = SIZE_PX
    pixels = rng.integers(60, 120, (height, width, 3)).astype(np.uint8)
    ids = np.zeros((height, width), np.uint16)
    silhouettes = []
    for actor_id in range(1, count + 1):
        is_car = bool(rng.random() < 0.6)
        w, h = (int(rng.integers(24, 80)), int(rng.integers(16, 40))) if is_car else (int(rng.integers(8, 14)), 30)
        x, y = int(rng.integers(0, width - w)), int(rng.integers(0, height - h))
        shape = np.zeros((height, width), np.uint8)
        if is_car:
            shape[y : y + h, x : x + w] = 1
        else:
            cv2.ellipse(shape, (x + w // 2, y + h // 2), (w // 2, h // 2), 0, 0, 360, 1, -1)
        pixels[shape > 0] = (40, 40, 220) if is_car else (220, 200, 40)
        ids[shape > 0] = actor_id
        silhouettes.append((actor_id, "car" if is_car else "pedestrian", shape > 0))
    objects = []
    for actor_id, label, shape in silhouettes:
        rows, columns = np.nonzero(shape)
        box = [columns.min() - 0.5, rows.min() - 0.5, columns.max() + 0.5, rows.max() + 0.5]
        seen = int((ids == actor_id).sum())
        visible = {"visible_share": seen / int(shape.sum()), "truncation": 0.0, "pixels_seen": seen}
        objects.append({"id": actor_id, "class": label, "box_px": box, "box_velo": SOMEWHERE, **visible})
    return pixels, ids, objects


@pytest.fixture(scope="session")
def make_shard() -> Callable[..., Path]:
    """Writes a shard of drawn pictures into a folder of shards."""

    def make(folder: Path, name: str = "drawn", seed: int = 0, pictures: int = 8, count: int = 4) -> Path:
        rng = np.random.default_rng(seed)
        shard = folder / name
        shard.mkdir(parents=True)
        entries = []
        for index in range(pictures):
            pixels, ids, objects = draw(rng, count)
            names = {"picture": f"{index:04d}.jpg", "owners": f"{index:04d}.png"}
            cv2.imwrite(str(shard / names["picture"]), pixels, [cv2.IMWRITE_JPEG_QUALITY, 95])
            cv2.imwrite(str(shard / names["owners"]), ids)
            entries.append({**names, "objects": objects})
        write_shard(shard, {"scenario": "drawn", "seed": seed, "duration_s": 0.0, "scale": 0.7}, entries)
        return shard

    return make
