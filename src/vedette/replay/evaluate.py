"""What a run is worth: accuracy of what was published, when it was published, and what it cost.

- *Online accuracy* (``f1.…``, ``ap.…``): the first publication for each labelled frame is scored against the labels of
  that frame. A later answer for the same frame is a correction that came too late to act on, and does not count.
- *Identity* (``id_switches.…``, ``fragmentations.…``, ``idf1.…``): whether these boxes name an object by one track.
- *Streaming accuracy* (``streaming_…``): what stood published at each capture time, scored against the labels of that
  time; ``streaming_carried_…``: the same boxes carried to that time by odometry and their published velocities.
- A figure that is not defined, such as the AP of a class without labels, is None.
- *Latency* (``latency_ms``): from a frame's capture to the first publication computed from that frame's own image or
  sweep, over the frames that got one (``answered_frames``). Stages are means over the same frames: ``capture`` until
  the sweep is complete, the stages of the agent or of the answer, and ``other``, what is left.
- Frames that never got one are ``propagated_frames``. *Age* (``age_ms``): from the capture of the data used to
  publication, over the frames whose first boxes were propagated.
- *Offered* frames (``offered_frames``) are those that the policy gave to its 3D detector, wherever that is; *offloaded*
  are those of which at least a part left the device: not what was superseded before, and none under ``edge-only``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from vedette.datasets.kitti.convert import camera_objects_from_detections
from vedette.evaluation.objects import CameraObjects, ScoredFrame
from vedette.evaluation.streaming import PublishedDetections, StampedLabels
from vedette.evaluation.summary import (
    accuracy_keys,
    accuracy_metrics,
    identity_keys,
    identity_metrics,
    streaming_metrics,
    table_metrics,
)
from vedette.evaluation.table import Table
from vedette.evaluation.targets import TARGETS
from vedette.publication import Publication
from vedette.replay.carry import carried_frames
from vedette.replay.record import RunRecord
from vedette.replay.truth import TrueFrame

_NS_IN_MS = 1e6


def evaluate_run(record: RunRecord, truth: Sequence[TrueFrame]) -> dict[str, Any]:
    """The run's entry of the report's ``runs``.

    Args:
        record: of a run over exactly these frames.
        truth: every item of the recording.
    """
    first = first_publications(record.publications)
    return {
        "policy": record.policy,
        "frames": len(truth),
        "labelled_frames": sum(frame.labels is not None for frame in truth),
        **_accuracy(record, truth),
        "latency_ms": _latency(record, truth),
        **_frame_counts(record, truth),
        "age_ms": percentiles(_ages_ms(first.values())),
        **offload_figures(record, len(truth)),
    }


def first_publications(publications: Iterable[Publication]) -> dict[int, Publication]:
    """The first publication for each frame number."""
    first: dict[int, Publication] = {}
    for publication in publications:
        if not publication.forecast:
            first.setdefault(publication.frame_index, publication)
    return first


def first_own_publications(publications: Iterable[Publication]) -> dict[int, Publication]:
    """The first publication from a frame's own data, for the frame numbers that have one."""
    return first_publications(publication for publication in publications if publication.own)


def percentiles(values: Sequence[float]) -> dict[str, float | None]:
    """p50, p95 and p99, linearly interpolated; None where there are no values."""
    if not values:
        return {"p50": None, "p95": None, "p99": None}
    return {f"p{share}": round(float(np.percentile(values, share)), 3) for share in (50, 95, 99)}


def _accuracy(record: RunRecord, truth: Sequence[TrueFrame]) -> dict[str, float | None]:
    labelled = [(frame, frame.labels) for frame in truth if frame.labels is not None]
    if not labelled:
        return {}
    cameras = {frame.index: frame.camera for frame in truth}
    seen = [
        camera_objects_from_detections(p.detections, cameras[p.frame_index], p.track_ids) for p in record.publications
    ]
    first: dict[int, CameraObjects] = {}
    for publication, objects in zip(record.publications, seen, strict=True):
        if not publication.forecast:
            first.setdefault(publication.frame_index, objects)
    nothing = CameraObjects.empty(scored=True)
    scored = [ScoredFrame(labels, first.get(frame.index, nothing)) for frame, labels in labelled]
    stamped = [StampedLabels(frame.stamp_ns, labels) for frame, labels in labelled]
    published = [
        PublishedDetections(p.publish_ns, p.stamp_ns, objects)
        for p, objects in zip(record.publications, seen, strict=True)
    ]
    table = Table.from_frames(scored)
    online = table_metrics(table, TARGETS) | identity_metrics(table)
    figures = online | streaming_metrics(stamped, published) | _carried(record, truth)
    undefined = {f"{kind}{key}": None for kind in ("", "streaming_", "streaming_carried_") for key in accuracy_keys()}
    return undefined | dict.fromkeys(identity_keys()) | {key: round(value, 3) for key, value in figures.items()}


def _carried(record: RunRecord, truth: Sequence[TrueFrame]) -> dict[str, float]:
    frames = carried_frames(record.publications, truth)
    figures = accuracy_metrics(frames) if frames else {}
    return {f"streaming_carried_{key}": figure for key, figure in figures.items()}


def _latency(record: RunRecord, truth: Sequence[TrueFrame]) -> dict[str, Any]:
    own = first_own_publications(record.publications)
    latencies_ms = [publication.latency_ns / _NS_IN_MS for publication in own.values()]
    frames = {frame.index: frame for frame in truth}
    stages: dict[str, float] = {}
    for index, publication in own.items():
        for stage, spent_ms in latency_stages(record, frames[index], publication).items():
            stages[stage] = stages.get(stage, 0.0) + spent_ms
    # adding 0.0 turns -0.0 into 0.0
    mean = {stage: round(total_ms / len(own), 3) + 0.0 for stage, total_ms in stages.items()}
    return {**percentiles(latencies_ms), "stages": mean}


def latency_stages(record: RunRecord, frame: TrueFrame, publication: Publication) -> dict[str, float]:
    """Where one frame's latency went; the values add up to it.

    Args:
        record: holds the stages.
        frame: the frame.
        publication: its first own one.
    """
    stages = {"capture": (frame.ready_ns - frame.stamp_ns) / _NS_IN_MS, **record.own_stage_ms.get(frame.index, {})}
    return stages | {"other": publication.latency_ns / _NS_IN_MS - sum(stages.values())}


def _frame_counts(record: RunRecord, truth: Sequence[TrueFrame]) -> dict[str, int]:
    answered = len(first_own_publications(record.publications))
    return {
        "answered_frames": answered,
        "propagated_frames": len(truth) - answered,
        "skipped_frames": len(record.skipped),
        "bad_frames": len(record.bad),
    }


def _ages_ms(publications: Iterable[Publication]) -> list[float]:
    return [publication.age_ns / _NS_IN_MS for publication in publications if not publication.own]


def offload_figures(record: RunRecord, frame_count: int) -> dict[str, Any]:
    """What was offered and sent, and what came of it.

    Args:
        record: of the run.
        frame_count: items of its recording.
    """
    lost = Counter(str(loss.reason) for loss in record.losses)
    sent = sum(answer.bytes_up > 0 for answer in record.answers) + sum(loss.bytes_up > 0 for loss in record.losses)
    return {
        "offered_frames": len(record.offered),
        "offered_share": round(len(record.offered) / frame_count, 4),
        "offloaded_frames": sent,
        "offloaded_share": round(sent / frame_count, 4),
        "answers": len(record.answers),
        "lost": dict(sorted(lost.items())),
        "bytes_up": sum(answer.bytes_up for answer in record.answers) + sum(loss.bytes_up for loss in record.losses),
        "bytes_down": sum(answer.bytes_down for answer in record.answers),
    }
