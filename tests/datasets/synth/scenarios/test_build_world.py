"""Impossible worlds are refused with what would be right."""

from __future__ import annotations

import pytest

from vedette.datasets.synth.scenarios import SCENARIOS, build_world
from vedette.errors import ConfigError


@pytest.mark.parametrize(
    ("scenario", "seed", "duration_s", "vehicles", "says"),
    [
        ("village", 0, 1.0, None, "expected one of town, junction, motorway"),
        ("", 0, 1.0, None, "unknown scenario ''"),
        ("town", -1, 1.0, None, "seed -1; expected 0 or more"),
        ("town", 10**18, 1.0, None, "expected 0 or more, 18 digits at most"),
        ("town", 0, 0.0, None, "expected more than 0 and up to 600 s"),
        ("town", 0, -2.0, None, "a duration of -2 s"),
        ("town", 0, 601.0, None, "a duration of 601 s"),
        ("town", 0, float("nan"), None, "a duration of nan s"),
        ("town", 0, 1.0, 2, "only convoy lets one choose"),
        ("convoy", 0, 1.0, 1, "expected 2 to 6"),
        ("convoy", 0, 1.0, 7, "expected 2 to 6"),
    ],
)
def test_what_cannot_be_built(scenario: str, seed: int, duration_s: float, vehicles: int | None, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        build_world(scenario, seed, duration_s, vehicles=vehicles)


def test_the_names() -> None:
    assert set(SCENARIOS) == {
        "town", "junction", "motorway", "car-park", "convoy", "rush-hour", "crossing", "turn", "swap", "hidden-cyclist",
    }  # fmt: skip
