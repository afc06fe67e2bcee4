"""Colours: one per policy and one per stage, told apart by people who do not see all colours."""

from __future__ import annotations

import colorsys
from collections.abc import Iterable, Sequence
from typing import Final

POLICY_COLOURS: Final = {"edge-only": "#b45309", "cloud-only": "#2563eb", "moby": "#0f766e"}
_ON_IMAGE: Final = {"edge-only": "#fbbf24", "cloud-only": "#60a5fa", "moby": "#2dd4bf"}
_FIRST_HUE: Final = 0.75
_GOLDEN: Final = 0.618034
_LIGHTNESSES: Final = (0.3, 0.45, 0.6)
_SATURATION: Final = 0.65
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
    further = [name for name in policies if name not in POLICY_COLOURS]
    return POLICY_COLOURS[policy] if policy in POLICY_COLOURS else _further_colour(further.index(policy))


def _further_colour(index: int) -> str:
    """Colours without end: hues a golden share of the circle apart, by turns darker and lighter."""
    hue = (_FIRST_HUE + index * _GOLDEN) % 1.0
    rgb = colorsys.hls_to_rgb(hue, _LIGHTNESSES[index % len(_LIGHTNESSES)], _SATURATION)
    return "#" + "".join(f"{round(255 * value):02x}" for value in rgb)


def colour_on_image(policy: str) -> str:
    """A brighter colour of a policy, to stand out from photographs.

    Args:
        policy: its name.
    """
    return _ON_IMAGE.get(policy, "#f472b6")


def in_order(stages: Iterable[str]) -> list[str]:
    """Stages in the order in which a frame passes them, unforeseen ones before ``other``.

    Args:
        stages: names, repeated or not.
    """
    order = list(_STAGE_COLOURS)
    unforeseen = order.index("other") - 0.5
    return sorted(dict.fromkeys(stages), key=lambda stage: order.index(stage) if stage in order else unforeseen)


def stage_colour(stage: str) -> str:
    """The colour of a stage; grey for one that is not foreseen."""
    return _STAGE_COLOURS.get(stage, "#cbd5e1")
