"""Policies made from the settings."""

from __future__ import annotations

import pytest

from vedette.config import OffloadConfig
from vedette.edge.offload.choice import policy_of


@pytest.mark.parametrize(
    ("settings", "detect3d", "name"),
    [
        ({}, False, "adaptive"),
        ({"policy": "adaptive"}, True, "adaptive with the device's detector"),
        ({"policy": "interval", "interval": 4}, False, "every 4"),
        ({"policy": "paper", "test_interval": 6, "min_test_f1": 0.8}, False, "test every 6, anchor below 0.8"),
    ],
)
def test_the_settings_name_the_policy(settings, detect3d, name) -> None:
    """With its own numbers, as reports show it."""
    assert policy_of(OffloadConfig(**settings), detect3d=detect3d).name == name
