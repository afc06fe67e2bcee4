"""A motorway: two or three lanes each way, a long bend, a slope, lorries, 25 to 35 m/s.

For long ranges, high speeds and lane changes. Beyond its ends traffic turns round on open land, half a minute's drive
from where the ego vehicle begins.
"""

from __future__ import annotations

from typing import Final

from vedette.datasets.synth.plan import Block, BlockUse, Plan, Street
from vedette.datasets.synth.roads.network import Turn, build_network
from vedette.datasets.synth.scenarios.crowd import Crowd, Start, people
from vedette.datasets.synth.scenarios.grids import draw_terrain
from vedette.datasets.synth.scenarios.stage import Stage, stream
from vedette.datasets.synth.world import World

_LENGTH_M: Final = 1300.0
_FIELD_M: Final = 70.0
_SWING_M: Final = 24.0
_EVERY_M: Final = 75.0


def build(scenario: str, seed: int, duration_s: float, vehicles: int) -> World:
    """The world.

    Args:
        scenario: its name.
        seed: of everything that is drawn.
        duration_s: how long it lasts.
        vehicles: how many are connected.
    """
    rng = stream(scenario, seed, "place")
    lanes = int(rng.integers(2, 4))
    road = Street("u", 0.0, 0.0, _LENGTH_M, lanes=lanes, lane_width_m=3.6, median_m=4.0, shoulder_m=2.5, speed_m_s=32.0)
    edge = road.side_m[0]
    fields = [
        Block(0.0, low, _LENGTH_M, high, BlockUse.FIELD, kerb_m=0.0, corner_m=0.5, pavement_m=0.0)
        for low, high in ((-edge - _FIELD_M, -edge), (edge, edge + _FIELD_M))
    ]
    network = build_network(Plan((road,), tuple(fields)), draw_terrain(rng, 700.0, 0.015), _SWING_M)
    crowd = Crowd(vehicles=int(2 * lanes * _LENGTH_M / _EVERY_M), closest_m=36.0, heavy=0.2)
    outward = [lane for lane in network.lanes if lane.turn is Turn.ALONG and lane.direction > 0]
    return people(Stage(scenario, seed, network), crowd, duration_s, vehicles, Start(outward, (0.03, 0.3)))
