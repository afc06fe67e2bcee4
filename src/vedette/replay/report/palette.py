"""Colours: one per policy and one per stage, told apart by people who do not see all colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

POLICY_COLOURS: Final = {"edge-only": "#b45309", "cloud-only": "#2563eb", "moby": "#0f766e"}
_FURTHER: Final = ("#7c3aed", "#be185d", "#4d7c0f")
LABEL_COLOUR: Final = "#111827"
LOSS_COLOUR: Final = "#dc2626"

_STAGE_COLOURS: Final = {
    "capture": "#d1d5db",
    "queue": "#9ca3af",
    "predict": "#fde68a",
    "detect2d": "#f59e0b",
    "associate": "#fca5a5",
    "lift": "#ef4444",
    "update": "#c084fc",
    "decide": "#a78bfa",
    "encode": "#86efac",
    "uplink": "#3b82f6",
    "cloud_queue": "#6b7280",
    "decode": "#5eead4",
    "detect3d": "#0f766e",
    "downlink": "#93c5fd",
    "other": "#e5e7eb",
}


def policy_colour(policy: str, policies: Sequence[str]) -> str:
    """The colour of a policy, the same in every plot.

    Args:
        policy: its name.
        policies: all of the report, in order.
    """
    return POLICY_COLOURS.get(policy, _FURTHER[list(policies).index(policy) % len(_FURTHER)])


def stage_colour(stage: str) -> str:
    """The colour of a stage; grey for one that is not foreseen."""
    return _STAGE_COLOURS.get(stage, "#cbd5e1")
