"""What import adds to a user's card, and the first frame, which shows whether the files work at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from vedette.detections import Detections3D
from vedette.frames import MAX_RANGE_M, Sweep
from vedette.models.cards import ModelCard
from vedette.models.sessions import signature_of
from vedette.models.split_pillars.detector import SplitPillarsDetector, velo_SE3_network
from vedette.models.split_pillars.network import ENCODER, keys_of
from vedette.models.store import sha256_of

_TRIAL_POINTS: Final = 20_000  # or as many as there may be pillars, so that none is left out


def card_from_files(backbone: Path, encoder: Path) -> dict[str, Any]:
    """The keys of a card that the two files tell, so that nobody has to write them.

    Args:
        backbone: from the scattered pillars to the head's maps.
        encoder: from points to a row per pillar.

    Raises:
        ModelLoadError: the runtime refuses a file, or a tensor is of a type that no model of ours has.
        ModelError: a file cannot be read.
    """
    encoder_sha256 = sha256_of(encoder)
    inputs, outputs = signature_of(backbone)
    encoder_inputs, encoder_outputs = signature_of(encoder)
    companion = {
        "name": ENCODER,
        "inputs": encoder_inputs,
        "outputs": encoder_outputs,
        "file": encoder.name,
        "sha256": encoder_sha256,
    }
    return {
        "family": "split_pillars",
        "task": "detect3d",
        "inputs": inputs,
        "outputs": outputs,
        "file": backbone.name,
        "companions": [companion],
    }


def run_first_frame(detector: SplitPillarsDetector, card: ModelCard) -> Detections3D:
    """Let the detector see a sweep that fills its grid with points at random, the same every time.

    Args:
        detector: of the model.
        card: of the model.

    Returns:
        What it finds there.

    Raises:
        ModelError: the model failed, gave other shapes than its signature and card say, or numbers that are not finite.
    """
    keys = keys_of(card)
    generator = np.random.default_rng(0)
    count = min(_TRIAL_POINTS, keys.grid.max_pillars)
    points = generator.uniform(keys.grid.range_m[:3], keys.grid.range_m[3:], (count, 3))
    points_velo = np.clip(velo_SE3_network(keys.frame).transform_points(points), -MAX_RANGE_M, MAX_RANGE_M)
    intensities = generator.uniform(0.0, 1.0, count)
    return detector.detect_around(Sweep(np.column_stack([points_velo, intensities]).astype(np.float32), 0, 0))
