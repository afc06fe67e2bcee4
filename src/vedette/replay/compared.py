"""What policies are compared by over many recordings: the few figures of `evaluate` that are pooled, and no others.

`evaluate_run` scores every class at every difficulty three times, which takes longer than some runs. Here are, under
the same keys and by the same code, the counts of F1 of all vehicles (by blocks of frames, for intervals), the AP of
cars, latency and bytes; a test holds the two equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from vedette.datasets.kitti.convert import camera_objects_from_detections
from vedette.detections import Detections3D
from vedette.evaluation.block_bootstrap import block_sums
from vedette.evaluation.f1 import MAX_RANGE_M, SCORE_CUT, count_matches_by_frame
from vedette.evaluation.kitti_ap import precision_curve
from vedette.evaluation.objects import CameraObjects, ScoredFrame
from vedette.evaluation.streaming import standing_publications
from vedette.evaluation.table import Metric, Table
from vedette.evaluation.targets import CAR, MODERATE, VEHICLE
from vedette.geometry import PinholeCamera
from vedette.replay.evaluate import first_own_publications, first_publications, offload_figures, percentiles
from vedette.replay.record import RunRecord
from vedette.replay.truth import TrueFrame

F1_KEYS: Final = (f"vehicle.3d.0.5.r{MAX_RANGE_M:g}", f"vehicle.bev.0.7.r{MAX_RANGE_M:g}")
"""Of the counts."""
AP_KEY: Final = "ap.r40.car.3d.0.5.moderate"
STREAMING: Final = "streaming_"
_F1_OVERLAPS: Final = ((Metric.BOX, 0.5), (Metric.GROUND, 0.7))
_AP_OVERLAP: Final = (Metric.BOX, 0.5)


def compared_figures(record: RunRecord, truth: Sequence[TrueFrame]) -> dict[str, Any]:
    """The figures of a run.

    Args:
        record: of a run over exactly these frames.
        truth: every item of the recording.
    """
    latencies_ms = [
        publication.latency_ns / 1e6 for publication in first_own_publications(record.publications).values()
    ]
    return {
        "policy": record.policy,
        "frames": len(truth),
        "answered_frames": len(latencies_ms),
        "latency_ms": percentiles(latencies_ms),
        **accuracy(_online_frames(record, truth)),
        **{f"{STREAMING}{key}": figure for key, figure in accuracy(_streaming_frames(record, truth)).items()},
        **offload_figures(record, len(truth)),
    }


def accuracy(frames: Sequence[ScoredFrame], score_cut: float = SCORE_CUT) -> dict[str, Any]:
    """The counts of F1, by blocks of frames, and AP.

    Args:
        frames: labels, and detections in the camera's view.
        score_cut: lowest score that takes part in F1.

    Returns:
        ``blocks.KEY`` for each of the `F1_KEYS`: ``[[tp, fp, fn], ...]``; and `AP_KEY`, None where no car counts.
    """
    table = Table.from_frames(frames)
    figures: dict[str, Any] = {}
    for key, overlap in zip(F1_KEYS, _F1_OVERLAPS, strict=True):
        counts = count_matches_by_frame(table, VEHICLE, *overlap, frame_count=len(frames), score_cut=score_cut)
        figures[f"blocks.{key}"] = block_sums(counts).tolist()
    curve = precision_curve(table, CAR, MODERATE, *_AP_OVERLAP)
    figures[AP_KEY] = round(curve.ap_r40, 3) if curve.label_count else None
    return figures


def scored_frame(frame: TrueFrame, detections: Detections3D | None, camera: PinholeCamera) -> ScoredFrame:
    """A labelled frame with what was said of it.

    Args:
        frame: has labels.
        detections: boxes in the velo frame; None where there was nothing yet.
        camera: of the frame that the boxes were published for.

    Raises:
        ValueError: the frame has no labels.
    """
    if frame.labels is None:
        raise ValueError(f"frame {frame.index} has no labels; expected some")
    seen = (
        CameraObjects.empty(scored=True) if detections is None else camera_objects_from_detections(detections, camera)
    )
    return ScoredFrame(frame.labels, seen)


def labelled_frames(truth: Sequence[TrueFrame]) -> list[TrueFrame]:
    """Those frames that are scored.

    Args:
        truth: every item of the recording.
    """
    return [frame for frame in truth if frame.labels is not None]


def _online_frames(record: RunRecord, truth: Sequence[TrueFrame]) -> list[ScoredFrame]:
    first = first_publications(record.publications)
    said = [(frame, first.get(frame.index)) for frame in labelled_frames(truth)]
    return [
        scored_frame(frame, None if publication is None else publication.detections, frame.camera)
        for frame, publication in said
    ]


def _streaming_frames(record: RunRecord, truth: Sequence[TrueFrame]) -> list[ScoredFrame]:
    labelled = labelled_frames(truth)
    standing = standing_publications(
        np.array([frame.stamp_ns for frame in labelled], np.int64),
        np.array([publication.publish_ns for publication in record.publications], np.int64),
        np.array([publication.stamp_ns for publication in record.publications], np.int64),
    )
    cameras = {frame.index: frame.camera for frame in truth}
    stood = [record.publications[index] if index >= 0 else None for index in standing.tolist()]
    return [
        scored_frame(frame, None, frame.camera)
        if publication is None
        else scored_frame(frame, publication.detections, cameras[publication.frame_index])
        for frame, publication in zip(labelled, stood, strict=True)
    ]
