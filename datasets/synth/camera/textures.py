"""Patterns of surfaces, worked out where a ray hits: brickwork, planks, slabs, leaves, grain.

A pattern is a relative change of brightness, about -1 to 1 with a mean near 0. Each of its parts fades where it would
be finer than two pixels: beyond that it could only flicker.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.datasets.synth.camera.noise import ValueNoise
from vedette.datasets.synth.surfaces import PROPERTIES, Surface, Texture
from vedette.geometry import NDArrayFloat32, NDArrayUInt8


@dataclass(frozen=True, eq=False)
class Places:
    """Places on surfaces that wear a pattern.

    Args:
        u_m: ``(N,) float32`` along the surface, level.
        v_m: ``(N,) float32`` along the surface, up where it stands.
        pixel_m: ``(N,) float32`` what a pixel covers there, in its longer direction.
    """

    u_m: NDArrayFloat32
    v_m: NDArrayFloat32
    pixel_m: NDArrayFloat32

    def select(self, rows: np.ndarray) -> Places:
        """Some of the places.

        Args:
            rows: indices.
        """
        return Places(self.u_m[rows], self.v_m[rows], self.pixel_m[rows])


class Textures:
    """All patterns.

    Args:
        rng: draws what is random in them.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._noise = ValueNoise(rng)
        self._patterns: Final[dict[Texture, Callable[[Places, float], NDArrayFloat32]]] = {
            Texture.GRAIN: self._grain,
            Texture.BRICK: self._brick,
            Texture.PLANKS: self._planks,
            Texture.PAVING: self._paving,
            Texture.LEAVES: self._leaves,
            Texture.CLADDING: self._cladding,
        }

    def brightness(self, surfaces: NDArrayUInt8, places: Places) -> NDArrayFloat32:
        """``(N,) float32`` what to multiply colours by, around 1.

        Args:
            surfaces: ``(N,) uint8`` values of `Surface`.
            places: where on them.
        """
        factor = np.ones(len(surfaces), dtype=np.float32)
        for value in np.flatnonzero(np.bincount(surfaces, minlength=256)):
            properties = PROPERTIES[Surface(int(value))]
            if properties.texture is Texture.PLAIN:
                continue
            rows = np.flatnonzero(surfaces == value)
            pattern = self._patterns[properties.texture](places.select(rows), properties.texture_size_m)
            factor[rows] += np.float32(properties.texture_contrast) * pattern
        return factor

    def _octave(self, places: Places, u_size_m: float, v_size_m: float) -> NDArrayFloat32:
        visible = _visible(places, min(u_size_m, v_size_m))
        rows = np.flatnonzero(visible)
        u, v = places.u_m[rows] / np.float32(u_size_m), places.v_m[rows] / np.float32(v_size_m)
        visible[rows] *= self._noise.smooth(u, v)
        return visible

    def _grain(self, places: Places, size_m: float) -> NDArrayFloat32:
        fine = self._octave(places, size_m / 4, size_m / 4)
        middle = self._octave(places, size_m, size_m)
        # off a multiple, and turned, so that the table's repeats do not line up
        coarse = self._octave(places, size_m * 9.3, size_m * 17.1)
        patches = self._octave(places, size_m * 47.0, size_m * 31.0)
        return np.asarray(0.6 * fine + 0.5 * middle + 0.1 * coarse + 0.35 * patches)

    def _brick(self, places: Places, size_m: float) -> NDArrayFloat32:
        row = places.v_m / np.float32(size_m / 3)
        along = places.u_m / np.float32(size_m) + 0.5 * (np.floor(row) % 2)
        joints = _joint(row, 0.16) + _joint(along, 0.06)
        tone = self._noise.of_cell(along, row)
        fine = (0.8 * tone + 1.1 * np.minimum(joints, 1.0) - 0.2) * _visible(places, size_m / 3)
        return np.asarray(fine + 0.4 * self._octave(places, 1.9, 1.3))

    def _planks(self, places: Places, size_m: float) -> NDArrayFloat32:
        along = places.u_m / np.float32(size_m)
        tone = self._noise.of_cell(along, np.zeros_like(along))
        gaps = _joint(along, 0.1)
        boards = (0.7 * tone - 1.2 * gaps + 0.1) * _visible(places, size_m)
        return np.asarray(boards + 0.5 * self._octave(places, 0.03, 0.6))

    def _paving(self, places: Places, size_m: float) -> NDArrayFloat32:
        row, along = places.v_m / np.float32(size_m), places.u_m / np.float32(size_m)
        joints = np.minimum(_joint(row, 0.06) + _joint(along, 0.06), 1.0)
        tone = self._noise.of_cell(along, row)
        slabs = (0.6 * tone - 1.3 * joints + 0.15) * _visible(places, size_m)
        return np.asarray(slabs + 0.35 * self._octave(places, 0.05, 0.05) + 0.4 * self._octave(places, 2.3, 3.1))

    def _leaves(self, places: Places, size_m: float) -> NDArrayFloat32:
        fine = self._octave(places, size_m / 2, size_m / 2)
        return np.asarray(0.7 * fine + 0.5 * self._octave(places, size_m * 2.3, size_m * 2.3))

    def _cladding(self, places: Places, size_m: float) -> NDArrayFloat32:
        lap = places.v_m / np.float32(size_m)
        shade = (lap - np.floor(lap) - 0.5) - 1.2 * _joint(lap, 0.08) + 0.1
        return np.asarray(shade * _visible(places, size_m) + 0.3 * self._octave(places, 3.7, 0.9))


def _visible(places: Places, size_m: float) -> NDArrayFloat32:
    return np.asarray(np.clip(np.float32(1.5) - 2.0 * places.pixel_m / np.float32(size_m), 0.0, 1.0))


def _joint(position: NDArrayFloat32, share: float) -> NDArrayFloat32:
    """1 in the joint that opens each unit, 0 elsewhere."""
    return np.asarray(position - np.floor(position) < share, dtype=np.float32)
