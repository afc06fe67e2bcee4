"""A mesh hung on bones that turn about the axis across the body: legs, arms, cranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from vedette.datasets.synth.mesh import Mesh
from vedette.geometry import NDArrayFloat

_PHASES: Final = 96
_MARGIN_M: Final = 0.002


class Bones(Protocol):
    """How bones move, periodically."""

    @property
    def period_s(self) -> float:
        """After this time everything is as before; above 0."""
        ...

    def pose(self, times_s: NDArrayFloat) -> tuple[NDArrayFloat, NDArrayFloat]:
        """Where the bones are: ``(P,B,2)`` x and z of each one's origin, ``(P,B)`` how far it is turned.

        Args:
            times_s: ``(P,)``.

        Returns:
            Metres; radians from its rest, positive when its lower end swings forward.
        """
        ...


@dataclass(frozen=True, eq=False)
class Flesh:
    """Triangles that hang on one bone.

    Args:
        bone: index.
        mesh: in the bone's frame: the origin at the joint, x forward, y the body's own, z up at rest.
    """

    bone: int
    mesh: Mesh


class Puppet:
    """A shape with moving limbs, centred in the box that encloses it at all times.

    Args:
        bones: how they move.
        flesh: what hangs on them.
        grounded: keep the lowest point at z = 0 at all times, as who walks does; otherwise the lowest of all times is.
    """

    is_rigid: Final = False

    def __init__(self, bones: Bones, flesh: Sequence[Flesh], *, grounded: bool) -> None:
        self._bones = bones
        self._grounded = grounded
        self._rest = Mesh.merge([piece.mesh for piece in flesh])
        self._bone_of = np.repeat([piece.bone for piece in flesh], [len(piece.mesh.vertices_m) for piece in flesh])
        self._local_m = self._rest.vertices_m.astype(np.float64)
        self._shift_m = np.zeros(3)
        low, high = self._extent()
        self._shift_m = -np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
        length_m, width_m, height_m = (high - low) + (2 * _MARGIN_M, 2 * _MARGIN_M, _MARGIN_M)
        self.size_m: tuple[float, float, float] = (float(length_m), float(width_m), float(height_m))

    def mesh(self, t_s: float) -> Mesh:
        """The triangles at a time.

        Args:
            t_s: seconds since the world's beginning.
        """
        vertices = self._vertices(np.array([t_s]))[0].astype(np.float32)
        return Mesh(vertices, self._rest.triangles, self._rest.surfaces, self._rest.colours_rgb)

    def _vertices(self, times_s: NDArrayFloat) -> NDArrayFloat:
        """``(P,V,3)``."""
        origins_m, angles = self._bones.pose(times_s)
        cos, sin = np.cos(angles)[:, self._bone_of], np.sin(angles)[:, self._bone_of]
        x, y, z = self._local_m.T
        places = np.empty((len(times_s), len(x), 3))
        places[..., 0] = origins_m[:, self._bone_of, 0] + cos * x - sin * z
        places[..., 1] = y
        places[..., 2] = origins_m[:, self._bone_of, 1] + sin * x + cos * z
        if self._grounded:
            places[..., 2] -= places[..., 2].min(axis=1, keepdims=True)
        return places + self._shift_m

    def _extent(self) -> tuple[NDArrayFloat, NDArrayFloat]:
        """``(3,)`` least and greatest coordinates over a period."""
        places = self._vertices(np.linspace(0.0, self._bones.period_s, _PHASES, endpoint=False))
        return places.min(axis=(0, 1)), places.max(axis=(0, 1))
