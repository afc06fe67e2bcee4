"""Pictures of the world that look like no world: photographs behind and before its objects, and colours of all kinds.

A network that has only seen the world's pictures knows its streets and its renderer, and is lost in a real picture.
What is left when streets, colours and textures are drawn at random are the shapes of the objects.

People are randomised less than vehicles: nothing covers them that is not of the world, they nearly keep their colours,
and pictures that show some are changed as a whole by half as much. A car may be of any colour; a pedestrian of 20
pixels is little else than a face, a jacket and two legs of the right ones.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from vedette.classes import ObjectClass
from vedette.geometry import NDArrayBool, NDArrayFloat32, NDArrayUInt8
from vedette.models.camera2d.masks import MASK_STRIDE_PX
from vedette.models.camera2d.training.augment import LEAST_CELLS, LEAST_VISIBLE_SHARE, ModelSample
from vedette.models.camera2d.training.photographs import Photographs, drawn_part
from vedette.models.camera2d.training.recoloured import coloured_as, convolved, patch, permuted, recoloured, shaded
from vedette.models.camera2d.training.samples import CLASSES, NOBODY, OwnerMap

UNCHANGED_SHARE: Final = 0.15
"""Of pictures that stay as the world has them."""
EMPTY_SHARE: Final = 0.05
"""Of the others, that are a photograph and nothing else."""
PEOPLE_COLOUR_STRENGTH: Final = 0.2
PEOPLE_PICTURE_STRENGTH: Final = 0.5
_PEOPLE: Final = (CLASSES.index(ObjectClass.PEDESTRIAN), CLASSES.index(ObjectClass.CYCLIST))
_WHOLE_BACKGROUND_SHARE: Final = 0.25
_PATCHED_BACKGROUND_SHARE: Final = 0.4


def randomised(
    rng: np.random.Generator, sample: ModelSample, owners: OwnerMap, photographs: Photographs
) -> ModelSample:
    """A sample made to look otherwise.

    Args:
        rng: draws.
        sample: of the world.
        owners: ``(H,W)`` row of the object that each of its pixels shows, or `NOBODY`.
        photographs: to put behind and before its objects.
    """
    if rng.random() < UNCHANGED_SHARE:
        return sample
    if rng.random() < EMPTY_SHARE:
        return empty(rng, sample, photographs)
    people = np.isin(sample.channels, _PEOPLE)
    if rng.random() < 0.5:
        strengths = np.where(people, PEOPLE_COLOUR_STRENGTH, 1.0)
        sample = replace(sample, pixels_bgr=recoloured(rng, sample.pixels_bgr, owners, strengths))
    sample = replace(sample, pixels_bgr=_with_background(rng, sample.pixels_bgr, owners, photographs))
    if rng.random() < 0.25:
        sample = partly_hidden(rng, sample, owners, photographs)
    strength = PEOPLE_PICTURE_STRENGTH if (people & ~sample.ignored).any() else 1.0
    return replace(sample, pixels_bgr=_restyled(rng, sample.pixels_bgr, photographs, strength))


def empty(rng: np.random.Generator, sample: ModelSample, photographs: Photographs) -> ModelSample:
    """A photograph in which there is nothing to be found.

    Args:
        rng: draws.
        sample: whose size it has.
        photographs: to choose from.
    """
    return ModelSample(
        drawn_part(rng, photographs, _size_px(sample.pixels_bgr)),
        np.full_like(sample.owners, NOBODY),
        sample.boxes_px[:0],
        sample.channels[:0],
        sample.ignored[:0],
    )


def put_behind(
    pixels_bgr: NDArrayUInt8, owners: OwnerMap, photograph_bgr: NDArrayUInt8, cover: NDArrayFloat32
) -> NDArrayUInt8:
    """A photograph where no object is.

    It fades in over two pixels from the outline, where the colours of object and background are mixed already.

    Args:
        pixels_bgr: ``(H,W,3) uint8``.
        owners: ``(H,W)`` row of the object that each pixel shows, or `NOBODY`; those of objects stay as they are.
        photograph_bgr: ``(H,W,3) uint8``.
        cover: ``(H,W) float32`` how much of it shows, 0 to 1.
    """
    free = (owners == NOBODY).astype(np.float32)
    alpha = (free * cv2.GaussianBlur(free, (0, 0), 0.8) * cover)[..., None]
    mixed = pixels_bgr + alpha * (photograph_bgr.astype(np.float32) - pixels_bgr)
    return np.asarray(np.rint(mixed).astype(np.uint8))


def partly_hidden(
    rng: np.random.Generator, sample: ModelSample, owners: OwnerMap, photographs: Photographs
) -> ModelSample:
    """One to four upright rectangles, of a photograph or of one colour, before all that is not a person.

    What they hide is nobody's. Objects of which they leave too little are ignored.

    Args:
        rng: draws.
        sample: to hide parts of.
        owners: ``(H,W)`` row of the object that each pixel shows, or `NOBODY`.
        photographs: to cut the rectangles from.
    """
    pixels, cells = sample.pixels_bgr.copy(), sample.owners.copy()
    people = np.append(np.isin(sample.channels, _PEOPLE), False)  # the last is of nobody
    for _ in range(int(rng.integers(1, 5))):
        rows, columns = _drawn_rectangle(rng, cells.shape)
        hidden = ~people[cells[rows, columns]]
        hidden_px = hidden.repeat(MASK_STRIDE_PX, axis=0).repeat(MASK_STRIDE_PX, axis=1)
        place = (_in_pixels(rows), _in_pixels(columns))
        hidden_px &= ~people[owners[place]]
        pixels[place][hidden_px] = _drawn_surface(rng, photographs, hidden_px.shape)[hidden_px]
        cells[rows, columns][hidden] = NOBODY
    return replace(
        sample,
        pixels_bgr=pixels,
        owners=cells,
        ignored=sample.ignored | _too_hidden(sample.owners, cells, len(people) - 1),
    )


def _with_background(
    rng: np.random.Generator, pixels_bgr: NDArrayUInt8, owners: OwnerMap, photographs: Photographs
) -> NDArrayUInt8:
    """A photograph behind all objects, or up to four patches of some, or the world as it is."""
    size_px, drawn = _size_px(pixels_bgr), rng.random()
    if drawn < _WHOLE_BACKGROUND_SHARE:
        everywhere = np.ones(pixels_bgr.shape[:2], np.float32)
        return put_behind(pixels_bgr, owners, drawn_part(rng, photographs, size_px), everywhere)
    if drawn < _WHOLE_BACKGROUND_SHARE + _PATCHED_BACKGROUND_SHARE:
        for _ in range(int(rng.integers(1, 5))):
            cover = patch(rng, pixels_bgr.shape[:2]) * np.float32(rng.uniform(0.6, 1.0))
            pixels_bgr = put_behind(pixels_bgr, owners, drawn_part(rng, photographs, size_px), cover)
    return pixels_bgr


def _restyled(
    rng: np.random.Generator, pixels_bgr: NDArrayUInt8, photographs: Photographs, strength: float
) -> NDArrayUInt8:
    """All of the picture in other light, colours and textures."""
    pixels = pixels_bgr
    if rng.random() < 0.4:
        pixels = shaded(rng, pixels, strength)
    if rng.random() < 0.2:
        pixels = coloured_as(rng, pixels, drawn_part(rng, photographs, _size_px(pixels)), strength)
    if rng.random() < 0.25:
        pixels = convolved(rng, pixels, strength)
    if rng.random() < 0.1:
        pixels = permuted(rng, pixels, strength)
    return pixels


def _drawn_rectangle(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[slice, slice]:
    """Rows and columns of the maps: high and narrow mostly, as posts, trees and kiosks are."""
    height, width = shape
    sides = (max(1, int(rng.uniform(0.06, 0.5) * height)), max(1, int(rng.uniform(0.01, 0.06) * width)))
    starts = (int(rng.integers(height - sides[0] + 1)), int(rng.integers(width - sides[1] + 1)))
    return slice(starts[0], starts[0] + sides[0]), slice(starts[1], starts[1] + sides[1])


def _drawn_surface(rng: np.random.Generator, photographs: Photographs, shape: tuple[int, ...]) -> NDArrayUInt8:
    height, width = shape
    if rng.random() < 0.6:
        return drawn_part(rng, photographs, (width, height))
    return np.broadcast_to(rng.integers(0, 256, 3).astype(np.uint8), (height, width, 3))


def _in_pixels(cells: slice) -> slice:
    return slice(cells.start * MASK_STRIDE_PX, cells.stop * MASK_STRIDE_PX)


def _too_hidden(before: OwnerMap, after: OwnerMap, count: int) -> NDArrayBool:
    """``(count,)`` objects that show in too few cells, or in too few of those in which they did."""
    shown, left = (np.bincount(cells.ravel() + 1, minlength=count + 1)[1:] for cells in (before, after))
    return np.asarray((left < LEAST_CELLS) | (left < LEAST_VISIBLE_SHARE * shown))


def _size_px(pixels_bgr: NDArrayUInt8) -> tuple[int, int]:
    """Width and height."""
    return pixels_bgr.shape[1], pixels_bgr.shape[0]
