"""The evaluation of a run, on records made by hand."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from vedette.edge.offload.link import Answer, Loss, LossReason
from vedette.edge.offload.policy import OffloadDecision
from vedette.errors import MissingDataError
from vedette.publication import Publication
from vedette.replay.evaluate import evaluate_run, percentiles
from vedette.replay.record import RunRecord
from vedette.replay.truth import read_truth

MS = 1_000_000


@pytest.fixture
def truth(street):
    """Three frames, 100 ms apart, the last without labels."""
    return read_truth(street(3, unlabelled=[2]))


def published(frame, latency_ms, detections, age_ms=None):
    """Boxes for a frame; of its own data unless an age says otherwise."""
    publish_ns = frame.stamp_ns + latency_ms * MS
    basis_ns = frame.stamp_ns if age_ms is None else publish_ns - age_ms * MS
    count = len(detections)
    return Publication(
        frame.index,
        frame.stamp_ns,
        publish_ns,
        basis_ns,
        detections,
        np.zeros(count, np.int64),
        ("anchor",) * count,
        np.zeros((count, 2)),
    )


@pytest.fixture
def right(street):
    """The street's car, where it is."""
    from vedette.datasets.kitti.convert import detections_from_camera_objects

    recording = street(1)
    camera = next(iter(recording)).camera
    return detections_from_camera_objects(recording.labels(0), camera)


def test_the_first_publication_counts(truth, right):
    """A wrong first answer is not mended by a right one for the same frame; unlabelled frames are not scored."""
    wrong = dataclasses.replace(right, boxes_velo=right.boxes_velo + np.array([[9.0, 0, 0, 0, 0, 0, 0]]))
    record = RunRecord(
        "p",
        publications=[
            published(truth[0], 10, wrong, age_ms=300),
            published(truth[0], 80, right),
            published(truth[1], 10, right, age_ms=400),
            published(truth[2], 10, wrong, age_ms=500),
        ],
    )
    run = evaluate_run(record, truth)
    assert run["labelled_frames"] == 2
    assert (run["tp.car.3d.0.5.r50"], run["fp.car.3d.0.5.r50"], run["fn.car.3d.0.5.r50"]) == (1, 1, 1)
    assert run["f1.car.3d.0.5.r50"] == 50.0
    # at frame 1's capture the right boxes of frame 0 stood published; at frame 0's nothing did
    assert (run["streaming_tp.car.3d.0.5.r50"], run["streaming_fn.car.3d.0.5.r50"]) == (1, 1)


def test_names_are_those_of_the_first_publication(truth, right):
    """The car is named 4 and then 5; a later publication that says 4 again is no answer. F1 100, one of two named."""
    labelled = [
        dataclasses.replace(frame, labels=dataclasses.replace(frame.labels, track_ids=np.array([11])))
        for frame in truth[:2]
    ]
    named = [
        dataclasses.replace(published(frame, 10 + later, right), track_ids=np.array([name]))
        for frame, later, name in [(truth[0], 0, 4), (truth[1], 0, 5), (truth[1], 20, 4)]
    ]
    run = evaluate_run(RunRecord("p", publications=named), labelled)
    key = "vehicle.3d.0.5.r50"
    assert (run[f"id_switches.{key}"], run[f"fragmentations.{key}"], run[f"label_tracks.{key}"]) == (1, 0, 1)
    assert (run[f"f1.{key}"], run[f"idf1.{key}"]) == (100.0, 50.0)
    nameless = evaluate_run(RunRecord("p", publications=named), truth)
    assert [nameless[f"{name}.{key}"] for name in ("id_switches", "fragmentations", "idf1")] == [None] * 3


def test_forecasts_count_where_boxes_are_read(truth, right):
    """What is said of a frame before it is there is no answer to any frame, but it is what stands when it comes.

    Nothing else is published for frame 1 in time: its forecast, right, stands at its capture; frame 0's own boxes,
    wrong, are the first for frame 0; and frame 1's first, wrong too, do not gain by the forecast.
    """
    wrong = dataclasses.replace(right, boxes_velo=right.boxes_velo + np.array([[9.0, 0, 0, 0, 0, 0, 0]]))
    foreseen = dataclasses.replace(
        published(truth[0], 20, right), stamp_ns=truth[1].stamp_ns, basis_stamp_ns=truth[0].stamp_ns, forecast=True
    )
    record = RunRecord("p", publications=[foreseen, published(truth[0], 30, wrong), published(truth[1], 10, wrong)])
    run = evaluate_run(record, truth)
    assert (run["tp.car.3d.0.5.r50"], run["fp.car.3d.0.5.r50"], run["fn.car.3d.0.5.r50"]) == (0, 2, 2)
    # at frame 0's capture nothing stood published
    streaming = [run[f"streaming_{kind}.car.3d.0.5.r50"] for kind in ("tp", "fp", "fn")]
    assert streaming == [1, 0, 1]
    # carried on are the boxes of frame 0 alone, which are wrong
    carried = [run[f"streaming_carried_{kind}.car.3d.0.5.r50"] for kind in ("tp", "fp", "fn")]
    assert carried == [0, 1, 2]
    # a forecast is no answer from own data, and its age is nobody's
    assert (run["answered_frames"], run["latency_ms"]["p50"], run["age_ms"]["p50"]) == (2, 20.0, None)


def test_latency_and_age(truth, right):
    """Latency is over frames with own boxes, from the first of them; age over frames that began propagated."""
    record = RunRecord(
        "p",
        publications=[
            published(truth[0], 60, right),
            published(truth[0], 90, right),
            published(truth[1], 10, right, age_ms=110),
            published(truth[1], 100, right),
            published(truth[2], 10, right, age_ms=130),
        ],
        own_stage_ms={0: {"detect2d": 4.0}, 1: {"detect2d": 6.0}},
    )
    run = evaluate_run(record, truth)
    assert run["latency_ms"] == {
        "p50": 80.0,
        "p95": 98.0,
        "p99": 99.6,
        "stages": {"capture": 50.0, "detect2d": 5.0, "other": 25.0},
    }
    assert (run["answered_frames"], run["propagated_frames"]) == (2, 1)
    assert run["age_ms"]["p50"] == 120.0


def test_costs(truth, right):
    """Bytes include those of lost requests; losses are counted by reason."""
    record = RunRecord(
        "p",
        decisions=dict.fromkeys(range(3), OffloadDecision(send=True, reason="interval"))
        | {3: OffloadDecision(send=False, reason="between anchors")},
        answers=[Answer(0, truth[0].stamp_ns, truth[0].stamp_ns + 9, right, 1000, 50, {})],
        losses=[
            Loss(1, truth[1].stamp_ns, 9, LossReason.SUPERSEDED, "", 0),
            Loss(2, truth[2].stamp_ns, 9, LossReason.DEADLINE, "", 700),
        ],
    )
    run = evaluate_run(record, truth)
    assert (run["bytes_up"], run["bytes_down"], run["answers"]) == (1700, 50, 1)
    assert run["lost"] == {"deadline": 1, "superseded": 1}
    assert (run["offered_frames"], run["offered_share"]) == (3, 1.0)
    assert (run["offloaded_frames"], run["offloaded_share"]) == (2, 0.6667)
    assert run["age_ms"] == {"p50": None, "p95": None, "p99": None}
    assert run["fn.car.3d.0.5.r50"] == 2


def test_without_any_labels(street):
    """No labels, no accuracy figures; the rest is there."""
    truth = read_truth(street(2, unlabelled=[0, 1]))
    run = evaluate_run(RunRecord("p"), truth)
    assert not [key for key in run if key.startswith(("f1.", "ap.", "streaming"))]
    assert run["frames"] == 2


def test_percentiles():
    """Interpolated linearly; none of nothing."""
    assert percentiles([]) == {"p50": None, "p95": None, "p99": None}
    assert percentiles([float(i) for i in range(101)]) == {"p50": 50.0, "p95": 95.0, "p99": 99.0}


def test_truth_of_bad_frames(street):
    """A bad frame takes the camera of a sound one; a recording without any is refused with the reason."""
    truth = read_truth(street(3, bad=[0]))
    assert truth[0].camera is truth[1].camera
    assert truth[0].ready_ns == truth[0].stamp_ns
    assert truth[1].ready_ns == truth[1].stamp_ns + 50 * MS
    with pytest.raises(MissingDataError, match="frame 1 is truncated"):
        read_truth(street(2, bad=[0, 1]))
