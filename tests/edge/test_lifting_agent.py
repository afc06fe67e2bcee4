"""The lifting agent: its steps, its answers at once, and late answers merged into the past."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.clock import SimulatedClock
from vedette.datasets.kitti.convert import detections_from_camera_objects
from vedette.datasets.source_spec import open_recording
from vedette.detections import Detections2D
from vedette.errors import ConfigError, DeadlineError, InvalidFrameError, ModelError
from vedette.frames import BadFrame
from vedette.geometry import SE3
from vedette.telemetry.stages import ProfiledStages

STEPS = ("predict", "detect2d", "associate", "lift", "update", "forecast", "decide")


@pytest.fixture
def run(start_run):
    """A run about to begin."""
    return start_run()


def same(a, b):
    """Whether two publications say the same, bit for bit."""
    return (
        np.array_equal(a.detections.boxes_velo, b.detections.boxes_velo)
        and np.array_equal(a.detections.scores, b.detections.scores)
        and np.array_equal(a.track_ids, b.track_ids)
        and np.array_equal(a.velocities_world_mps, b.velocities_world_mps, equal_nan=True)
        and a.rungs == b.rungs
    )


def passing(street, step):
    """Two cars: one parked, one that drives away at 8 m/s."""
    return [street.box(14.0, -3.0, 0.1), street.box(10.0 + 0.8 * step, 3.0)]


def test_the_six_steps_are_timed_in_order(street, run):
    """Every stage is there, under the name that profiles and reports use."""
    assert tuple(run.frame(0, passing(street, 0)).stage_ms) == STEPS


def test_boxes_at_once(street, run):
    """The first frame is answered from its own data, and lies in the sink."""
    result = run.frame(0, passing(street, 0))
    assert run.sink.publications == [result.publication]
    assert result.publication.own
    centres = result.publication.detections.boxes_velo[:, :2]
    for box in passing(street, 0):
        assert np.hypot(*(centres - box[:2]).T).min() < 0.3
    assert result.decision.send


def test_published_after_the_steps_that_made_it(start_run):
    """On the simulated clock publication comes after the first five steps' time; forecast and decision follow."""
    clock = SimulatedClock()
    stages = ProfiledStages(clock, dict.fromkeys(STEPS, 2.0))
    result = start_run(clock=clock, stages=stages).frame(0, [])
    assert result.publication.publish_ns == 10_000_000
    assert clock.now_ns() == 14_000_000


def test_lifting_again_takes_time_too(street, start_run):
    """On the simulated clock a late answer costs each frame lifted again and a forecast; no frame's own stage."""
    clock = SimulatedClock()
    run = start_run(clock=clock, stages=ProfiledStages(clock, dict.fromkeys([*STEPS, "relift"], 2.0)))
    for step in range(4):
        run.frame(step, passing(street, step))
    before_ns = run.clock.now_ns()
    run.answer(1, passing(street, 1)[0])
    assert run.clock.now_ns() - before_ns == (2 + 1) * 2_000_000
    assert tuple(run.frame(4, passing(street, 4)).stage_ms) == STEPS


def test_an_agent_needs_a_profile_of_its_steps(start_run):
    """A device profile without a step is refused by name."""
    clock = SimulatedClock()
    run = start_run(clock=clock, stages=ProfiledStages(clock, {}))
    with pytest.raises(ConfigError, match="predict"):
        run.frame(0, [])


def test_late_is_as_good_as_on_time(street, start_run):
    """An answer merged five frames late leaves the same tracks as one merged at once."""
    on_time, late = start_run(), start_run()
    box = street.box(14.1, -3.1, 0.15, [4.3, 1.7, 1.5])
    for step in range(8):
        for run in (on_time, late):
            run.frame(step, passing(street, step))
        if step == 2:
            on_time.answer(2, box)
    late.answer(2, box)
    assert same(on_time.frame(8, passing(street, 8)).publication, late.frame(8, passing(street, 8)).publication)


@pytest.mark.parametrize("order", list(permutations((1, 3, 5))))
def test_answers_may_overtake_each_other(street, start_run, order):
    """The tracks depend on the answers, not on the order in which they came."""
    runs = start_run(), start_run()
    for step in range(7):
        for run in runs:
            run.frame(step, passing(street, step))
    for run, indices in zip(runs, ((1, 3, 5), order), strict=True):
        for index in indices:
            run.answer(index, street.box(14.0 + 0.1 * index, -3.0, 0.1))
    first, second = (run.frame(7, passing(street, 7)).publication for run in runs)
    assert same(first, second)


def test_the_same_run_twice_is_the_same(street, start_run):
    """Bit for bit."""
    published = []
    for _ in range(2):
        run = start_run()
        for step in range(6):
            run.frame(step, passing(street, step))
            if step == 4:
                run.answer(2, *passing(street, 2))
        published.append(run.sink.publications)
    assert all(same(a, b) for a, b in zip(*published, strict=True))


def test_a_late_answer_publishes_nothing(street, run):
    """What was published stays; the correction shows in a new forecast and in the next frame."""
    for step in range(3):
        run.frame(step, passing(street, step))
    before = list(run.sink.publications)
    run.answer(1, street.box(14.0, -3.0, 0.1, [4.8, 1.9, 1.4]))
    assert run.sink.publications == before
    assert [4.8, 1.9, 1.4] in run.sink.forecasts[-1].detections.boxes_velo[:, 3:6].tolist()
    after = run.frame(3, passing(street, 3)).publication
    assert [4.8, 1.9, 1.4] in after.detections.boxes_velo[:, 3:6].tolist()


def test_an_answer_older_than_the_history_is_refused(street, start_run):
    """With three frames kept the fourth-last is gone."""
    run = start_run(history_frames=3)
    for step in range(4):
        run.frame(step, passing(street, step))
    with pytest.raises(DeadlineError, match="the answer for frame 0 came when that frame was kept no longer"):
        run.answer(0, street.box(50.0, 0.0))
    assert len(run.frame(4, passing(street, 4)).publication.detections) == 2


def test_an_answer_shows_what_the_image_missed(street, run):
    """A car that no 2D detection shows is published from the answer on, where the sweep shows it."""
    hidden = street.box(25.0, 6.0)
    nothing = Detections2D.empty()
    for step in range(3):
        run.frame(step, [hidden], nothing)
    run.answer(1, hidden)
    publication = run.frame(3, [hidden], nothing).publication
    assert publication.rungs == ("followed",)
    assert publication.track_ids.tolist() == [1500]
    assert publication.detections.boxes_velo[0, :2] == pytest.approx(hidden[:2], abs=0.1)


def test_one_answer_is_enough_to_follow_what_the_image_never_shows(street, run):
    """A car at 4 m/s that the 2D detector does not know, published before its speed was ever told.

    Followed for a second after the answer, less the two frames that it was late.
    """
    cars = [street.box(15.0 + 0.4 * step, 4.0, 0.0, [4.4, 1.8, 1.5]) for step in range(12)]
    nothing = Detections2D.empty()
    for step in range(3):
        assert len(run.frame(step, [cars[step]], nothing).publication.detections) == 0
    run.answer(1, cars[1])
    for step in range(3, 12):
        publication = run.frame(step, [cars[step]], nothing).publication
        assert (publication.rungs, publication.track_ids.tolist()) == (("followed",), [1500])
        assert publication.detections.boxes_velo[0, :2] == pytest.approx(cars[step][:2], abs=0.3)
    assert publication.velocities_world_mps[0] == pytest.approx([4.0, 0.0], abs=0.5)


def test_what_has_gone_is_not_followed(street, run):
    """Where the sweep shows nothing any more the box is only moved on, and soon not shown."""
    car, nothing = street.box(15.0, 4.0), Detections2D.empty()
    run.frame(0, [car], nothing)
    run.answer(0, car)
    publications = [run.frame(step, [], nothing).publication for step in range(1, 16)]
    assert publications[0].rungs == ("predicted",)
    scores = [publication.detections.scores.max(initial=0.0) for publication in publications]
    assert scores == sorted(scores, reverse=True)
    assert len(publications[-1].detections) == 0


def test_without_images_the_sweep_follows_what_an_answer_told(street, run):
    """Camera frames missing: what it showed before an answer is followed by its points, parked or driving."""
    for step in range(8):
        run.frame(step, passing(street, step))
    run.answer(7, *passing(street, 7))
    for step in range(8, 16):
        result = run.frame(step, passing(street, step), image=False)
        assert result.missing == ("image",)
        assert result.publication.rungs == ("followed", "followed")
        assert result.publication.own
        for box in passing(street, step):
            off_m = np.hypot(*(result.publication.detections.boxes_velo[:, :2] - box[:2]).T).min()
            assert off_m < 0.25


def test_a_car_only_answer_harms_no_others(street, run):
    """Vans and pedestrians are published as before an answer that knows cars alone."""
    van, walker = street.box(16.0, 4.0, 0.2, [4.9, 1.87, 2.1]), street.box(9.0, -2.0, 0.0, [0.8, 0.65, 1.76])
    seen = street.detections([van, walker])
    seen = Detections2D(seen.boxes_px, seen.scores, np.array([ObjectClass.TRUCK, ObjectClass.PEDESTRIAN], np.int64))
    for step in range(6):
        before = run.frame(step, [van, walker], seen).publication
    for index in (3, 4, 5):
        run.answer(index, street.box(15.6, 4.1, 0.2, [3.9, 1.6, 1.5]))
    after = run.frame(6, [van, walker], seen).publication
    assert after.track_ids.tolist() == before.track_ids.tolist()
    assert after.detections.class_ids.tolist() == [ObjectClass.VAN, ObjectClass.PEDESTRIAN]
    assert after.detections.boxes_velo == pytest.approx(before.detections.boxes_velo, abs=0.1)


def test_ego_motion_is_removed(street, run):
    """Driving past a parked car at 10 m/s, its speed over ground stays near zero and its track one."""
    car = street.box(30.0, 4.0)
    for step in range(12):
        pose = SE3.from_yaw(0.0, [1.0 * step, 0.0, 0.0])
        local = car - np.array([1.0 * step, 0, 0, 0, 0, 0, 0])
        publication = run.frame(step, [local], pose=pose).publication
    assert publication.track_ids.tolist() == [0]
    assert np.hypot(*publication.velocities_world_mps[0]) < 0.5


def test_no_detections(street, run):
    """An empty street is answered: nothing there."""
    publication = run.frame(0, []).publication
    assert (len(publication.detections), publication.own) == (0, True)


def test_without_image_tracks_are_predicted(street, run):
    """The boxes move on, are marked as propagated, and the result says what was missing."""
    for step in range(6):
        run.frame(step, passing(street, step))
    result = run.frame(6, passing(street, 6), image=False)
    publication = result.publication
    assert set(publication.rungs) == {"predicted"}
    assert publication.basis_stamp_ns == 500_000_000
    assert not publication.own
    driving = passing(street, 6)[1]
    assert np.hypot(*(publication.detections.boxes_velo[:, :2] - driving[:2]).T).min() < 0.4
    assert result.missing == ("image",)


def test_without_sweep_the_image_still_confirms(street, run):
    """Predicted places, not missed; a new object cannot be placed; the result says what was missing."""
    for step in range(4):
        run.frame(step, passing(street, step))
    run.detector.next = street.detections([*passing(street, 4), street.box(30.0, 0.0)])
    result = run.agent.process_frame(street.frame(4, None))
    assert (set(result.publication.rungs), len(result.publication.detections)) == ({"predicted"}, 2)
    assert result.missing == ("sweep",)


def test_skipped_frames_get_predicted_boxes(street, run):
    """A good frame that came while busy and a bad one alike; an answer about a skipped frame is welcome."""
    for step in range(4):
        run.frame(step, passing(street, step))
    busy = run.agent.skip_frame(street.frame(4, passing(street, 4)))
    bad = run.agent.skip_frame(BadFrame(5, "street", 500_000_000, InvalidFrameError("truncated")))
    for publication in (busy, bad):
        assert (len(publication.detections), publication.basis_stamp_ns) == (2, 300_000_000)
    run.answer(4, *passing(street, 4))
    assert run.agent.skip_frame(street.frame(6, passing(street, 6))).basis_stamp_ns == 400_000_000


def test_a_bad_first_frame_says_nothing(run):
    """Before any good frame: an empty publication that does not claim data of its own."""
    publication = run.agent.skip_frame(BadFrame(0, "street", 0, InvalidFrameError("truncated")))
    assert len(publication.detections) == 0
    assert not publication.own


def test_a_failing_detector_leaves_the_agent_usable(street, run):
    """The error reaches the run, which skips the frame; the next one is as usual."""
    run.frame(0, passing(street, 0))
    run.detector.next = ModelError("no")
    frame = street.frame(1, passing(street, 1))
    with pytest.raises(ModelError):
        run.agent.process_frame(frame)
    assert len(run.agent.skip_frame(frame).detections) == 2
    assert tuple(run.frame(2, passing(street, 2)).stage_ms) == STEPS


def test_odometry_that_comes_late_starts_a_new_world(street, run):
    """Tracks of the frame without poses are forgotten; nothing is published at wrong places."""
    run.frame(0, passing(street, 0))
    far_away = SE3.from_yaw(1.0, [500.0, 100.0, 3.0])
    publication = run.frame(1, passing(street, 1), pose=far_away).publication
    assert {int(track_id) // 1000 for track_id in publication.track_ids} == {1}


@pytest.mark.shared
def test_real_cars_are_found_where_they_are(street, start_run, kitti_root):
    """On ten real frames, labelled 2D boxes given, nine in ten clearly visible vehicles within 40 m are within 1 m."""
    recording = open_recording(f"kitti-tracking:{kitti_root}:0001:0-9")
    run, found, asked = start_run(), 0, 0
    for frame in recording:
        labels = recording.labels(frame.index)
        kept = [i for i, kind in enumerate(labels.types) if kind in {"Car", "Van"} and labels.occlusion[i] <= 1]
        labels = labels.select([i for i in kept if labels.truncation[i] <= 0.3])
        classes = np.full(len(labels), int(ObjectClass.CAR), np.int64)
        run.detector.next = Detections2D(labels.boxes_px, np.full(len(labels), 0.8), classes)
        boxes = run.agent.process_frame(frame).publication.detections.boxes_velo
        truth = detections_from_camera_objects(labels, frame.camera).boxes_velo
        truth = truth[np.hypot(truth[:, 0], truth[:, 1]) < 40.0]
        distance_m = np.hypot(*(boxes[:, None, :2] - truth[None, :, :2]).T)
        found, asked = found + int((distance_m.min(axis=1) < 1.0).sum()), asked + len(truth)
    assert asked >= 25
    assert found >= 0.9 * asked
