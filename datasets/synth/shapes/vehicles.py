"""Vehicles of every kind that a European street holds, and how often it holds them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.datasets.synth.actors import RigidShape
from vedette.datasets.synth.shapes import paint, profiles
from vedette.datasets.synth.shapes.bodies import lofted
from vedette.datasets.synth.shapes.profiles import Profile
from vedette.datasets.synth.shapes.trucks import truck


class VehicleKind(StrEnum):
    """Body styles."""

    HATCHBACK = "hatchback"
    SALOON = "saloon"
    ESTATE = "estate"
    SUV = "suv"
    MPV = "mpv"
    VAN = "van"
    TRUCK = "truck"
    BUS = "bus"

    @property
    def object_class(self) -> ObjectClass:
        """What a label calls it."""
        return _CLASSES.get(self, ObjectClass.CAR)


_CLASSES: Final = {
    VehicleKind.VAN: ObjectClass.VAN,
    VehicleKind.TRUCK: ObjectClass.TRUCK,
    VehicleKind.BUS: ObjectClass.BUS,
}


@dataclass(frozen=True)
class _Spread:
    """Sizes of a kind: mean and standard deviation of each side; drawn within two deviations."""

    mean_m: tuple[float, float, float]
    deviation_m: tuple[float, float, float]

    def draw(self, rng: np.random.Generator) -> tuple[float, float, float]:
        length_m, width_m, height_m = self.mean_m + np.clip(rng.normal(size=3), -2.0, 2.0) * self.deviation_m
        return float(length_m), float(width_m), float(height_m)


_SPREADS: Final[dict[VehicleKind, _Spread]] = {
    VehicleKind.HATCHBACK: _Spread((3.72, 1.62, 1.48), (0.22, 0.06, 0.05)),
    VehicleKind.SALOON: _Spread((4.42, 1.71, 1.43), (0.20, 0.06, 0.04)),
    VehicleKind.ESTATE: _Spread((4.42, 1.70, 1.47), (0.18, 0.06, 0.04)),
    VehicleKind.SUV: _Spread((4.25, 1.76, 1.70), (0.22, 0.07, 0.06)),
    VehicleKind.MPV: _Spread((4.15, 1.72, 1.64), (0.22, 0.06, 0.06)),
    VehicleKind.VAN: _Spread((5.00, 1.90, 2.15), (0.40, 0.06, 0.20)),
    VehicleKind.TRUCK: _Spread((9.20, 2.55, 3.40), (1.60, 0.04, 0.20)),
    VehicleKind.BUS: _Spread((11.7, 2.53, 3.05), (0.60, 0.02, 0.08)),
}
"""After KITTI's labels (cars 3.9 x 1.63 x 1.53, vans 5.1 x 1.9 x 2.2, trucks 10 x 2.6 x 3.2) and makers' figures."""

_CAR_PROFILES: Final[dict[VehicleKind, Profile]] = {
    VehicleKind.HATCHBACK: profiles.HATCHBACK,
    VehicleKind.SALOON: profiles.SALOON,
    VehicleKind.ESTATE: profiles.ESTATE,
    VehicleKind.SUV: profiles.SUV,
    VehicleKind.MPV: profiles.MPV,
}
_WINDOWED_VANS: Final = 0.5

_KINDS: Final = tuple(VehicleKind)
_PARKED_SHARES: Final = (0.34, 0.15, 0.20, 0.08, 0.12, 0.09, 0.02, 0.0)
_MOVING_SHARES: Final = (0.30, 0.16, 0.19, 0.08, 0.10, 0.09, 0.05, 0.03)


def draw_kind(rng: np.random.Generator, *, parked: bool) -> VehicleKind:
    """A kind, as often as streets show it.

    Args:
        rng: draws it.
        parked: beside the road, where there is no bus and hardly a lorry, or driving.
    """
    return _KINDS[rng.choice(len(_KINDS), p=_PARKED_SHARES if parked else _MOVING_SHARES)]


def vehicle(kind: VehicleKind, rng: np.random.Generator) -> RigidShape:
    """A vehicle of some size, make and colour; it fills the box of its size exactly.

    Args:
        kind: body style.
        rng: draws the rest.
    """
    size_m = _SPREADS[kind].draw(rng)
    match kind:
        case VehicleKind.TRUCK:
            cab, box = (paint.palette_of(paint.draw_colour(rng, paint.TRUCK_PAINTS)) for _ in range(2))
            return truck(size_m, cab, box, rng)
        case VehicleKind.BUS:
            return lofted(profiles.BUS, size_m, paint.palette_of(paint.draw_colour(rng, paint.BUS_PAINTS)), rng)
        case VehicleKind.VAN:
            profile = profiles.WINDOW_VAN if rng.uniform() < _WINDOWED_VANS else profiles.PANEL_VAN
            return lofted(profile, size_m, paint.palette_of(paint.draw_colour(rng, paint.VAN_PAINTS)), rng)
        case _:
            palette = paint.palette_of(paint.draw_colour(rng, paint.CAR_PAINTS))
            return lofted(_CAR_PROFILES[kind], size_m, palette, rng)
