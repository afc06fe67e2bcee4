"""Two cars before the ego vehicle swap lanes: the one on the left goes right, the one on the right goes left.

All three drive at the same speed until the street ends.
"""

from __future__ import annotations

from typing import Final

from vedette.datasets.synth.scenarios import scripted
from vedette.datasets.synth.scenarios.stage import Stage
from vedette.datasets.synth.shapes.vehicles import VehicleKind
from vedette.datasets.synth.traffic.rides import motor_vehicle
from vedette.datasets.synth.traffic.vehicles import Piece
from vedette.datasets.synth.world import World

SPEED_M_S: Final = 8.0
"""Of all three."""

_STREETS: Final = scripted.Streets(half_m=220.0, lanes=2, crossed=False)
_START_M: Final = {"ego": 20.0, "near": 34.0, "far": 48.0}
_LEFT, _RIGHT = 0, 1
_CHANGE_AFTER_M: Final = 16.0
_CHANGE_M: Final = 30.0
_WAY_M: Final = 360.0


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
    lanes = [scripted.lane_along(stage.network, 0, 1, rank) for rank in (_LEFT, _RIGHT)]
    ways = (
        (VehicleKind.ESTATE, [Piece(lanes[_RIGHT], _START_M["ego"], 0.0)]),
        (VehicleKind.HATCHBACK, _change(stage, _START_M["near"], lanes[_LEFT], lanes[_RIGHT])),
        (VehicleKind.SUV, _change(stage, _START_M["far"], lanes[_RIGHT], lanes[_LEFT])),
    )
    for kind, pieces in ways:
        progress = scripted.cruise(duration_s, SPEED_M_S, _WAY_M)
        ride = motor_vehicle(kind, rng)
        stage.actors.append(scripted.driven(stage, stage.take_id(), ride, pieces, progress))
    return scripted.finish(stage, duration_s)


def _change(stage: Stage, start_m: float, old: int, new: int) -> list[Piece]:
    at_m = start_m + _CHANGE_AFTER_M
    shift = stage.network.lanes[old].path.point(at_m) - stage.network.lanes[new].path.point(at_m)
    passage = Piece(new, at_m, _CHANGE_AFTER_M, (float(shift[0]), float(shift[1])), 0.0, _CHANGE_M)
    return [Piece(old, start_m, 0.0), passage]
