"""A cyclist rides behind a van that stands on the other side of the street, and comes out to pass it.

        ego ->                                  (until it comes out, the van hides it)
    ------------------------------------------
                     [van]      <- cyclist
                          <-----/

The ego vehicle stands. The cyclist rides on past it, and stops where the street ends.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.roads.curves import smooth_step
from vedette.datasets.synth.roads.path import Path
from vedette.datasets.synth.scenarios import scripted
from vedette.datasets.synth.shapes.vehicles import VehicleKind
from vedette.datasets.synth.traffic.motion import Trail
from vedette.datasets.synth.traffic.rides import bicycle, motor_vehicle
from vedette.datasets.synth.world import World
from vedette.geometry import NDArrayFloat

_STREETS: Final = scripted.Streets(half_m=90.0, crossed=False)
_EGO_M: Final = 60.0  # along its lane, which begins at u = -90
_VAN_M: Final = 90.0  # along the lane that comes the other way: its rear axle is at u = 0
_PACE_M_S: Final = 4.5
_RIDE_U_M: Final = (22.0, -86.0)
_LANE_V_M: Final = 2.4  # where it rides on its own side
_OUT_V_M: Final = -0.3  # where it passes the van
_OUT_U_M: Final = (16.0, 4.0)
_BACK_U_M: Final = (-7.0, -19.0)


def build(scenario: str, seed: int, duration_s: float, vehicles: int) -> World:  # noqa: ARG001
    """The world.

    Args:
        scenario: its name.
        seed: of everything that is drawn.
        duration_s: how long it lasts.
        vehicles: how many are connected: one.
    """
    stage = scripted.open_stage(scenario, seed, _STREETS)
    rng = stage.rng("vehicles")
    for kind, direction, at_m in ((VehicleKind.ESTATE, 1, _EGO_M), (VehicleKind.VAN, -1, _VAN_M)):
        lane = scripted.lane_along(stage.network, 0, direction)
        stage.actors.append(scripted.standing(stage, stage.take_id(), motor_vehicle(kind, rng), lane, at_m))
    rider = bicycle(rng, _PACE_M_S)
    path = Path.through(stage.terrain.to_world(_way())[:, :2])
    trail = Trail(path.distance_m, path.xy_m, path.yaw, np.zeros(len(path.yaw)))
    progress = scripted.cruise(duration_s, _PACE_M_S, path.length_m)
    stage.actors.append(rider.on(stage.terrain, stage.take_id(), trail, progress))
    return scripted.finish(stage, duration_s)


def _way() -> NDArrayFloat:
    u = np.arange(_RIDE_U_M[0], _RIDE_U_M[1], -0.25)
    out = smooth_step((_OUT_U_M[0] - u) / (_OUT_U_M[0] - _OUT_U_M[1]))
    back = smooth_step((_BACK_U_M[0] - u) / (_BACK_U_M[0] - _BACK_U_M[1]))
    return np.stack([u, _LANE_V_M + (_OUT_V_M - _LANE_V_M) * (out - back)], axis=1)
