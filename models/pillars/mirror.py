"""A scene with left and right swapped, and what the network says of it turned back: a second opinion."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat32
from vedette.models.pillars.box_code import MIRRORED_SIGNS
from vedette.models.pillars.features import Pillars
from vedette.models.pillars.grid import COLUMNS, ROWS

_FEATURE_SIGNS: Final = np.array([1, -1, 1, 1, -1, 1, 1, 1], np.float32)
_OTHER_SIDE: Final = 2  # quarters 0 and 2 swap, and 1 and 3: this bit of a slot


def mirrored(pillars: Pillars) -> Pillars:
    """The pillars of the scene with y reversed; points of a quarter stay next to each other, in another order of cells.

    Args:
        pillars: of the scene.
    """
    row, column = np.divmod(pillars.cells, COLUMNS)
    return replace(
        pillars,
        features=pillars.features * _FEATURE_SIGNS,
        slots=pillars.slots ^ _OTHER_SIDE,
        cells=(ROWS - 1 - row) * COLUMNS + column,
    )


def mean_with_mirrored(
    heat: NDArrayFloat32, regression: NDArrayFloat32, other_heat: NDArrayFloat32, other_regression: NDArrayFloat32
) -> tuple[NDArrayFloat32, NDArrayFloat32]:
    """What is said of a scene, and of the mirrored one, together.

    Args:
        heat: ``(K,R,C)`` of the scene.
        regression: ``(10,R,C)`` of the scene.
        other_heat: of the mirrored scene.
        other_regression: of the mirrored scene.

    Returns:
        Heat and regression, averaged; of regressions by heat, since where nothing is found one says anything.
    """
    turned_heat = other_heat[:, ::-1]
    turned = other_regression[:, ::-1] * MIRRORED_SIGNS[:, None, None]
    own, other = heat.max(axis=0), turned_heat.max(axis=0)
    share = (own + 1e-6) / (own + other + 2e-6)
    mean_heat: NDArrayFloat32 = (heat + turned_heat) * np.float32(0.5)
    mean_regression: NDArrayFloat32 = turned + (regression - turned) * share
    return mean_heat, mean_regression
