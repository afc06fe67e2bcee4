"""The named worlds, each in a module that says what it is for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from vedette.datasets.synth.scenarios import (
    car_park,
    convoy,
    crossing,
    hidden_cyclist,
    junction,
    motorway,
    rush_hour,
    swap,
    town,
    turn,
)
from vedette.datasets.synth.world import World
from vedette.errors import ConfigError

LONGEST_S: Final = 600.0
"""A world lasts no longer."""

SCENARIOS: Final[dict[str, Callable[[str, int, float, int], World]]] = {
    "town": town.build,
    "junction": junction.build,
    "motorway": motorway.build,
    "car-park": car_park.build,
    "convoy": convoy.build,
    "rush-hour": rush_hour.build,
    "crossing": crossing.build,
    "turn": turn.build,
    "swap": swap.build,
    "hidden-cyclist": hidden_cyclist.build,
}
"""What builds a world, by name: given the name, the seed, the duration and the number of connected vehicles."""

LARGEST_SEED: Final = 10**18 - 1
_CONVOY: Final = "convoy"
_CONVOY_VEHICLES: Final = (2, 6)
_CONVOY_DEFAULT: Final = 4


def build_world(scenario: str, seed: int, duration_s: float, *, vehicles: int | None = None) -> World:
    """Build a world; what happens until some time is the same however long it lasts.

    Args:
        scenario: one of `SCENARIOS`.
        seed: 0 to `LARGEST_SEED`; everything that is drawn follows from it and the name.
        duration_s: seconds, above 0 and up to `LONGEST_S`.
        vehicles: connected ones of a convoy, 2 to 6; 4 if not given. Other scenarios have one.

    Raises:
        ConfigError: an unknown name, or a number out of its range.
    """
    if scenario not in SCENARIOS:
        raise ConfigError(f"unknown scenario {scenario!r}; expected one of {', '.join(SCENARIOS)}")
    if not 0 <= seed <= LARGEST_SEED:
        raise ConfigError(f"scenario {scenario}: seed {seed}; expected 0 or more, 18 digits at most")
    if not 0.0 < duration_s <= LONGEST_S:
        raise ConfigError(
            f"scenario {scenario}: a duration of {duration_s:g} s; expected more than 0 and up to {LONGEST_S:g} s"
        )
    return SCENARIOS[scenario](scenario, seed, duration_s, connected_count(scenario, vehicles))


def connected_count(scenario: str, vehicles: int | None) -> int:
    """How many vehicles of a scenario are connected.

    Args:
        scenario: one of `SCENARIOS`.
        vehicles: wanted; None for the scenario's own number.

    Raises:
        ConfigError: the scenario cannot have that many.
    """
    if scenario != _CONVOY:
        if vehicles is not None:
            raise ConfigError(
                f"scenario {scenario} with {vehicles} connected vehicles; it has 1, only {_CONVOY} lets one choose"
            )
        return 1
    low, high = _CONVOY_VEHICLES
    if vehicles is not None and not low <= vehicles <= high:
        raise ConfigError(f"scenario {scenario} with {vehicles} connected vehicles; expected {low} to {high}")
    return _CONVOY_DEFAULT if vehicles is None else vehicles
