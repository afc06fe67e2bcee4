"""The first frame of a detector of boxes: shows whether the file's numbers are what its family's numbers are.

Shapes alone do not tell a decoded export from a raw one, nor logits from probabilities. The limits are wide: of the
boxes of NanoDet-Plus and YOLOX-Nano, on this picture, on noise and on black, none is out of them.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.detections import Detections3D
from vedette.errors import ModelError
from vedette.geometry import NDArrayBool
from vedette.models.box_detector import BoxDetector, RawAnswer
from vedette.models.trial_inputs import trial_image

_ROUNDING: Final = 1e-3  # of scores, for models of integers
_MAX_ABSURD: Final = 0.1  # share of the boxes
_MAX_SIDES: Final = 4.0  # sides of the input
_MAX_SIZE_M: Final = 100.0  # no road user is so long
_LEAST_PX: Final = 2.0  # boxes that all end before this are not in pixels


def check_first_frame(detector: BoxDetector) -> None:
    """Let a detector see a picture, and look at everything that it says.

    Args:
        detector: of the model.

    Raises:
        ModelError: the model failed, or its scores or boxes are absurd.
    """
    answer = detector.answer(trial_image())
    _check_scores(detector.name, answer)
    _check_boxes(detector.name, answer)


def check_sizes(name: str, found: Detections3D) -> None:
    """Look at what a 3D detector found in its first frame.

    Args:
        name: of the model.
        found: its boxes.

    Raises:
        ModelError: a box is larger than any road user.
    """
    largest_m = float(found.boxes_velo[:, 3:6].max(initial=0.0))
    if not largest_m <= _MAX_SIZE_M:
        raise ModelError(
            f"{name}: in the first frame a box has a side of {largest_m:.3g} m; expected at most {_MAX_SIZE_M:g}: see"
            " that the card says rightly whether sizes come out as they are or as logarithms"
        )


def _check_scores(name: str, answer: RawAnswer) -> None:
    least, greatest = float(answer.scores.min()), float(answer.scores.max())
    if least < -_ROUNDING or greatest > 1 + _ROUNDING:
        raise ModelError(
            f"{name}: the first frame has scores from {least:.3g} to {greatest:.3g}; expected 0 to 1: export with the"
            " logistic function inside, and see that --family is right"
        )


def _check_boxes(name: str, answer: RawAnswer) -> None:
    boxes = answer.boxes_px
    if not np.isfinite(boxes).all():
        raise ModelError(f"{name}: the first frame has boxes that are not finite; expected pixels of the input")
    share = float(_is_absurd(answer).mean())
    width_px, height_px = answer.input_px
    if share > _MAX_ABSURD:
        example = ", ".join(f"{side:.4g}" for side in boxes[_is_absurd(answer)][0])
        raise ModelError(
            f"{name}: in the first frame {share:.0%} of the boxes are far out of the input of {width_px}x{height_px}"
            f" pixels, larger than {_MAX_SIDES:g} times it, or inside out (x1, y1, x2, y2 = {example}): see that"
            " --family is right, and that YOLOX is exported without --decode_in_inference"
        )
    if 0 < boxes.max() < _LEAST_PX:
        raise ModelError(
            f"{name}: in the first frame no box reaches beyond {boxes.max():.3g}; expected pixels of the input of"
            f" {width_px}x{height_px}: export boxes in pixels, not as shares of the input"
        )


def _is_absurd(answer: RawAnswer) -> NDArrayBool:
    """Which boxes no detector means: ``(M,) bool``."""
    least, greatest = answer.boxes_px[:, :2], answer.boxes_px[:, 2:]
    size_px = np.array(answer.input_px, dtype=np.float64)
    centre_px, sides_px = (least + greatest) / 2, greatest - least
    absurd: NDArrayBool = (sides_px < 0) | (sides_px > _MAX_SIDES * size_px)
    absurd |= (centre_px < -size_px) | (centre_px > 2 * size_px)
    return absurd[:, 0] | absurd[:, 1]
