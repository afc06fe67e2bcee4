"""The named worlds."""

from __future__ import annotations

from typing import Final

from vedette.datasets.synth.scenarios import town
from vedette.datasets.synth.world import World
from vedette.errors import ConfigError

SCENARIOS: Final = {"town": town.build}


def build_world(scenario: str, seed: int, duration_s: float, *, vehicles: int | None = None) -> World:
    """Build a world."""
    if scenario not in SCENARIOS:
        raise ConfigError(f"no scenario {scenario!r}; expected one of {', '.join(SCENARIOS)}")
    return SCENARIOS[scenario](scenario, seed, duration_s, vehicles or 1)
