r"""Side views of vehicles: where the belt and the roof run, where the windows are, how the ends round off.

```
            roof rear ____________ windscreen's top
                     /  |   ||   \
     rear screen -> /___|___||____\________        <- belt (foot of the windows)
                   |                        \      <- bonnet
                   |___   _____________   ___|
                       (_)             (_)
      x = -0.5                               +0.5   of the length
```
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from vedette.geometry import NDArrayFloat, NDArrayInt


class Bay(IntEnum):
    """What lies between a station and the next one in front of it."""

    BODY = 0
    WINDOW = 1  # glass on the sides, roof above
    SCREEN = 2  # glass above and on the sides
    REAR_SCREEN = 3  # glass above, pillars on the sides


class Station(NamedTuple):
    """A cross-section.

    Args:
        x: share of the length, -0.5 at the rear to 0.5 in front.
        belt: height of the windows' feet, or of the bonnet's edge, as share of the vehicle's.
        top: height of the roof or bonnet, likewise, not below the belt.
        bay: what follows in front.
    """

    x: float
    belt: float
    top: float
    bay: Bay


@dataclass(frozen=True)
class Profile:
    """Side view and proportions of a body.

    Args:
        stations: from the rear to the front.
        axles: share of the length, from the rear to the front.
        wheel_radius_m: of its tyres.
        clearance_m: height of its floor.
        roof_width: share of the width at the roof's edge.
        end_width: shares of the width at the rear and front faces.
        corner_m: depth over which the rear and front corners round off.
        seat_rows_m: distance of each row's backs behind the windscreen's top.
        glass_ends: whether the rear and front faces have a window above the belt.
        tail_lamps: whether its rear is the vehicle's, which a lorry's cab's is not.
    """

    stations: tuple[Station, ...]
    axles: tuple[float, ...]
    wheel_radius_m: float
    clearance_m: float
    roof_width: float
    end_width: tuple[float, float]
    corner_m: tuple[float, float]
    seat_rows_m: tuple[float, ...]
    glass_ends: tuple[bool, bool] = (False, False)
    tail_lamps: bool = True

    @cached_property
    def lines(self) -> NDArrayFloat:
        """``(S,3)`` x, belt and top of the stations."""
        return np.array([(s.x, s.belt, s.top) for s in self.stations])

    @cached_property
    def bays(self) -> NDArrayInt:
        """``(S-1,)`` what lies between the stations."""
        return np.array([s.bay for s in self.stations[:-1]], dtype=np.int64)

    @cached_property
    def screen(self) -> int:
        """The station at the front windows' front end, where a sloping windscreen has its top."""
        return int(np.flatnonzero(self.bays == Bay.WINDOW)[-1]) + 1


_BODY, _WINDOW, _SCREEN, _REAR = Bay.BODY, Bay.WINDOW, Bay.SCREEN, Bay.REAR_SCREEN


def _profile(rows: tuple[tuple[float, float, float, Bay], ...], **rest: object) -> Profile:
    return Profile(tuple(Station(*row) for row in rows), **rest)  # type: ignore[arg-type]


HATCHBACK: Final = _profile(
    (
        (-0.500, 0.50, 0.56, _BODY),
        (-0.485, 0.59, 0.65, _BODY),
        (-0.470, 0.63, 0.69, _REAR),
        (-0.390, 0.64, 0.950, _WINDOW),
        (-0.095, 0.63, 1.000, _BODY),
        (-0.070, 0.63, 1.000, _WINDOW),
        (0.050, 0.62, 0.970, _SCREEN),
        (0.240, 0.62, 0.665, _BODY),
        (0.420, 0.54, 0.565, _BODY),
        (0.475, 0.47, 0.50, _BODY),
        (0.500, 0.40, 0.43, _BODY),
    ),
    axles=(-0.325, 0.295),
    wheel_radius_m=0.30,
    clearance_m=0.17,
    roof_width=0.77,
    end_width=(0.62, 0.46),
    corner_m=(0.42, 0.60),
    seat_rows_m=(0.55, 1.30),
)
SALOON: Final = _profile(
    (
        (-0.500, 0.47, 0.50, _BODY),
        (-0.480, 0.60, 0.64, _BODY),
        (-0.355, 0.63, 0.665, _REAR),
        (-0.225, 0.64, 0.945, _WINDOW),
        (-0.065, 0.63, 1.000, _BODY),
        (-0.042, 0.63, 1.000, _WINDOW),
        (0.060, 0.62, 0.965, _SCREEN),
        (0.220, 0.62, 0.665, _BODY),
        (0.415, 0.545, 0.57, _BODY),
        (0.475, 0.47, 0.50, _BODY),
        (0.500, 0.40, 0.43, _BODY),
    ),
    axles=(-0.290, 0.310),
    wheel_radius_m=0.315,
    clearance_m=0.17,
    roof_width=0.74,
    end_width=(0.62, 0.46),
    corner_m=(0.42, 0.65),
    seat_rows_m=(0.60, 1.35),
)
ESTATE: Final = _profile(
    (
        (-0.500, 0.47, 0.52, _BODY),
        (-0.488, 0.59, 0.65, _REAR),
        (-0.440, 0.63, 0.930, _WINDOW),
        (-0.265, 0.63, 0.975, _BODY),
        (-0.240, 0.63, 0.980, _WINDOW),
        (-0.060, 0.62, 1.000, _BODY),
        (-0.038, 0.62, 1.000, _WINDOW),
        (0.065, 0.61, 0.965, _SCREEN),
        (0.225, 0.61, 0.660, _BODY),
        (0.415, 0.545, 0.57, _BODY),
        (0.475, 0.47, 0.50, _BODY),
        (0.500, 0.40, 0.43, _BODY),
    ),
    axles=(-0.280, 0.310),
    wheel_radius_m=0.315,
    clearance_m=0.17,
    roof_width=0.75,
    end_width=(0.64, 0.46),
    corner_m=(0.40, 0.65),
    seat_rows_m=(0.60, 1.40),
)
SUV: Final = _profile(
    (
        (-0.500, 0.47, 0.52, _BODY),
        (-0.488, 0.62, 0.69, _REAR),
        (-0.440, 0.64, 0.945, _WINDOW),
        (-0.085, 0.635, 1.000, _BODY),
        (-0.060, 0.635, 1.000, _WINDOW),
        (0.060, 0.63, 0.970, _SCREEN),
        (0.215, 0.63, 0.675, _BODY),
        (0.420, 0.595, 0.62, _BODY),
        (0.480, 0.52, 0.55, _BODY),
        (0.500, 0.42, 0.46, _BODY),
    ),
    axles=(-0.295, 0.305),
    wheel_radius_m=0.355,
    clearance_m=0.22,
    roof_width=0.79,
    end_width=(0.66, 0.52),
    corner_m=(0.38, 0.55),
    seat_rows_m=(0.60, 1.40),
)
MPV: Final = _profile(
    (
        (-0.500, 0.45, 0.50, _BODY),
        (-0.490, 0.57, 0.64, _REAR),
        (-0.435, 0.59, 0.945, _WINDOW),
        (-0.260, 0.585, 0.980, _BODY),
        (-0.240, 0.585, 0.985, _WINDOW),
        (-0.035, 0.575, 1.000, _BODY),
        (-0.012, 0.575, 1.000, _WINDOW),
        (0.110, 0.565, 0.965, _SCREEN),
        (0.315, 0.565, 0.625, _BODY),
        (0.430, 0.515, 0.54, _BODY),
        (0.480, 0.45, 0.48, _BODY),
        (0.500, 0.38, 0.41, _BODY),
    ),
    axles=(-0.305, 0.305),
    wheel_radius_m=0.315,
    clearance_m=0.17,
    roof_width=0.79,
    end_width=(0.66, 0.46),
    corner_m=(0.38, 0.60),
    seat_rows_m=(0.60, 1.40),
)
_VAN_NOSE: Final = (
    (0.120, 0.52, 1.000, _BODY),
    (0.145, 0.52, 1.000, _WINDOW),
    (0.265, 0.515, 0.955, _SCREEN),
    (0.390, 0.515, 0.585, _BODY),
    (0.455, 0.475, 0.50, _BODY),
    (0.485, 0.41, 0.44, _BODY),
    (0.500, 0.33, 0.36, _BODY),
)
PANEL_VAN: Final = _profile(
    (
        (-0.500, 0.52, 0.945, _BODY),
        (-0.490, 0.53, 0.980, _BODY),
        (-0.200, 0.53, 1.000, _BODY),
        *_VAN_NOSE,
    ),
    axles=(-0.285, 0.315),
    wheel_radius_m=0.33,
    clearance_m=0.20,
    roof_width=0.84,
    end_width=(0.88, 0.56),
    corner_m=(0.18, 0.55),
    seat_rows_m=(0.55,),
)
WINDOW_VAN: Final = _profile(
    (
        (-0.500, 0.52, 0.945, _BODY),
        (-0.490, 0.53, 0.980, _BODY),
        (-0.460, 0.53, 0.990, _WINDOW),
        (-0.190, 0.53, 1.000, _BODY),
        (-0.170, 0.53, 1.000, _WINDOW),
        *_VAN_NOSE,
    ),
    axles=(-0.285, 0.315),
    wheel_radius_m=0.33,
    clearance_m=0.20,
    roof_width=0.84,
    end_width=(0.88, 0.56),
    corner_m=(0.18, 0.55),
    seat_rows_m=(0.55, 1.55, 2.40),
    glass_ends=(True, False),
)
BUS: Final = _profile(
    (
        (-0.500, 0.46, 0.925, _BODY),
        (-0.494, 0.46, 0.965, _BODY),
        (-0.440, 0.42, 1.000, _WINDOW),
        (-0.170, 0.40, 1.000, _BODY),
        (-0.158, 0.40, 1.000, _WINDOW),
        (0.110, 0.40, 1.000, _BODY),
        (0.122, 0.40, 1.000, _WINDOW),
        (0.400, 0.38, 1.000, _BODY),
        (0.412, 0.38, 1.000, _WINDOW),
        (0.488, 0.36, 0.965, _BODY),
        (0.500, 0.36, 0.900, _BODY),
    ),
    axles=(-0.235, 0.275),
    wheel_radius_m=0.48,
    clearance_m=0.30,
    roof_width=0.93,
    end_width=(0.90, 0.88),
    corner_m=(0.25, 0.35),
    seat_rows_m=(2.2, 4.4, 6.6),
    glass_ends=(True, True),
)
CAB: Final = _profile(
    (
        (-0.500, 0.55, 0.960, _BODY),
        (-0.470, 0.55, 0.985, _BODY),
        (-0.080, 0.55, 1.000, _WINDOW),
        (0.330, 0.52, 0.985, _BODY),
        (0.455, 0.51, 0.930, _BODY),
        (0.500, 0.50, 0.880, _BODY),
    ),
    axles=(0.100,),
    wheel_radius_m=0.48,
    clearance_m=0.36,
    roof_width=0.90,
    end_width=(0.97, 0.86),
    corner_m=(0.08, 0.35),
    seat_rows_m=(0.75,),
    glass_ends=(False, True),
    tail_lamps=False,
)
"""A lorry's cab: its length is the cab's."""
