"""What goes wrong on the road, scripted, and how far off the agent may be then.

Scenes are drawn, 2D boxes perfect where there are any; the bounds are what a user may rely on, not what was measured.
"""

from __future__ import annotations

import numpy as np
import pytest

from vedette.detections import Detections2D
from vedette.errors import ImplausibleAnswerError
from vedette.frames import Frame, Sweep
from vedette.geometry import SE3

FRAME_NS = 100_000_000


def nearest(publication, box):
    """Row of the published box nearest to one, and how far off its centre is, metres over ground."""
    distance_m = np.hypot(*(publication.detections.boxes_velo[:, :2] - box[:2]).T)
    row = int(distance_m.argmin())
    return row, float(distance_m[row])


def error_m(publication, box):
    """How far off the nearest published box is."""
    return nearest(publication, box)[1]


def name_of(publication, box):
    """The identity of the nearest published box."""
    return int(publication.track_ids[nearest(publication, box)[0]])


def turn_off_rad(yaw, true_yaw):
    """Difference of two headings, 0 to pi."""
    return abs((yaw - true_yaw + np.pi) % (2 * np.pi) - np.pi)


def traffic(street, step):
    """A parked car, and one that drives away at 8 m/s."""
    return [street.box(14.0, -3.0, 0.1), street.box(10.0 + 0.8 * step, 3.0)]


class TestLateAnswer:
    """An answer that arrives two seconds late."""

    SENT, ARRIVES = 4, 24

    def drive(self, street, start_run, answered):
        """Publications of 30 frames; the answer, with the driving car's true size, comes where it is asked for."""
        run, size = start_run(), [4.7, 1.85, 1.45]
        for step in range(30):
            parked, driving = street.box(14.0, -3.0, 0.1), street.box(10.0 + 0.8 * step, 3.0, 0.0, size)
            run.frame(step, [parked, driving])
            if answered and step == self.ARRIVES:
                run.answer(self.SENT, street.box(14.0, -3.0, 0.1), street.box(10.0 + 0.8 * self.SENT, 3.0, 0.0, size))
        return run.sink.publications

    def test_it_corrects_the_present_and_rewrites_nothing(self, street, start_run):
        """What was published before is untouched; from the next frame on the size is the true one and nobody jumps."""
        without, with_it = (self.drive(street, start_run, answered) for answered in (False, True))
        for before, same in zip(without[: self.ARRIVES + 1], with_it[: self.ARRIVES + 1], strict=True):
            assert np.array_equal(before.detections.boxes_velo, same.detections.boxes_velo)
        for step in range(self.ARRIVES + 1, 30):
            truth = street.box(10.0 + 0.8 * step, 3.0)
            row, off_m = nearest(with_it[step], truth)
            assert with_it[step].detections.boxes_velo[row, 3:6] == pytest.approx([4.7, 1.85, 1.45], abs=0.05)
            assert off_m < 0.4
            assert name_of(with_it[step], truth) == name_of(without[step], truth)

    def test_it_is_not_applied_where_the_car_is_now(self, street, start_run):
        """Two seconds are 16 m: where the car was then nothing is left, and there are two cars as before."""
        publication = self.drive(street, start_run, answered=True)[self.ARRIVES + 1]
        assert len(publication.detections) == 2
        assert error_m(publication, street.box(10.0 + 0.8 * self.SENT, 3.0)) > 5.0


class TestRubbishAnswer:
    """An answer full of boxes that the sweep does not show."""

    def rubbish(self, street, count=8):
        """Boxes all over an empty part of the road, some in the air."""
        rng = np.random.default_rng(7)
        boxes = [street.box(x, y, yaw) for x, y, yaw in rng.uniform((25, -8, -3), (48, 0, 3), (count, 3))]
        for box in boxes[::2]:
            box[2] += 4.0
        return boxes

    def test_it_changes_nothing(self, street, start_run):
        """Bit for bit, now and later, as if it had never come; and it is refused by name."""
        clean, fed = start_run(), start_run()
        for step in range(12):
            for run in (clean, fed):
                run.frame(step, traffic(street, step))
            if step == 5:
                with pytest.raises(ImplausibleAnswerError, match="8 of the 8 sure boxes of the answer for frame 3"):
                    fed.answer(3, *self.rubbish(street))
        for own, other in zip(clean.sink.publications, fed.sink.publications, strict=True):
            assert np.array_equal(own.detections.boxes_velo, other.detections.boxes_velo)
            assert np.array_equal(own.detections.scores, other.detections.scores)
            assert own.track_ids.tolist() == other.track_ids.tolist()

    def test_true_boxes_among_it_do_not_save_it(self, street, start_run):
        """Two true ones beside eight wrong ones: nothing of it is believed."""
        run = start_run()
        for step in range(4):
            run.frame(step, traffic(street, step))
        with pytest.raises(ImplausibleAnswerError):
            run.answer(3, *traffic(street, 3), *self.rubbish(street))
        assert len(run.frame(4, traffic(street, 4)).publication.detections) == 2

    def test_one_wrong_box_does_not_carry_a_track_away(self, street, start_run):
        """An answer right about one car and two and a half metres off the other: that one stays where it is seen."""
        run = start_run()
        for step in range(6):
            run.frame(step, traffic(street, step))
        review = run.answer(5, traffic(street, 5)[1], street.box(14.0, -5.5, 0.1)).review
        assert review.unsupported == 1
        after = run.frame(6, traffic(street, 6)).publication
        assert len(after.detections) == 2
        assert all(error_m(after, box) < 0.3 for box in traffic(street, 6))


class TestCameraFramesMissing:
    """The image is gone for a while; sweeps come."""

    @pytest.mark.parametrize("gap", [1, 5, 10])
    def test_boxes_are_carried_on_and_recover(self, street, start_run, gap):
        """At most 0.3 m a second of error, falling scores, and with the first image the same names and old accuracy."""
        run = start_run()
        for step in range(12):
            before = run.frame(step, traffic(street, step)).publication
        scores = []
        for step in range(12, 12 + gap):
            publication = run.frame(step, traffic(street, step), image=False).publication
            assert not publication.own
            for box in traffic(street, step):
                assert error_m(publication, box) < 0.3 + 0.03 * (step - 11)
            scores.append(publication.detections.scores.max())
        assert scores == sorted(scores, reverse=True)
        step = 12 + gap
        after = run.frame(step, traffic(street, step)).publication
        for box, old in zip(traffic(street, step), traffic(street, 11), strict=True):
            assert error_m(after, box) < 0.3
            assert name_of(after, box) == name_of(before, old)

    def test_every_other_image(self, street, start_run):
        """A camera at half the rate: each frame has its boxes, none farther off than 0.4 m once they are known."""
        run = start_run()
        for step in range(24):
            publication = run.frame(step, traffic(street, step), image=step % 2 == 0).publication
            if step > 6:
                assert all(error_m(publication, box) < 0.4 for box in traffic(street, step))


class TestSweepSectorsMissing:
    """Part of the LiDAR's turn is gone, as by dirt or a lost packet."""

    LEFT = np.deg2rad([2.0, 40.0])
    """Holds the driving car of `traffic`, not the parked one."""

    def frame(self, street, run, step, boxes, *, whole):
        """Process a frame; without the left sector where the sweep is not whole."""
        frame = street.frame(step, boxes)
        if not whole:
            azimuth = np.arctan2(*frame.sweep.points_velo[:, 1::-1].T)
            kept = frame.sweep.points_velo[(azimuth < self.LEFT[0]) | (azimuth > self.LEFT[1])]
            sweep = Sweep(np.ascontiguousarray(kept), frame.stamp_ns, frame.stamp_ns)
            frame = Frame(step, "street", frame.stamp_ns, frame.camera, sweep, frame.image, None)
        run.detector.next = street.detections(boxes)
        run.clock.sleep_until_ns(step * FRAME_NS)
        return run.agent.process_frame(frame).publication

    def test_what_is_known_there_is_carried_on(self, street, start_run):
        """For a second the image alone confirms the car in the gap: it keeps its name, and its place to 0.5 m."""
        run = start_run()
        for step in range(12):
            before = self.frame(street, run, step, traffic(street, step), whole=True)
        for step in range(12, 22):
            publication = self.frame(street, run, step, traffic(street, step), whole=False)
            parked, driving = traffic(street, step)
            assert publication.own
            assert error_m(publication, parked) < 0.3
            assert error_m(publication, driving) < 0.5
            assert name_of(publication, driving) == name_of(before, traffic(street, 11)[1])
        after = self.frame(street, run, 22, traffic(street, 22), whole=True)
        assert error_m(after, traffic(street, 22)[1]) < 0.4

    def test_the_rest_is_as_good_as_ever(self, street, start_run):
        """From the first frame on; what stands in the gap is not taken for sure."""
        run = start_run()
        for step in range(6):
            publication = self.frame(street, run, step, traffic(street, step), whole=False)
            assert error_m(publication, traffic(street, step)[0]) < 0.3
        driving = traffic(street, 5)[1]
        row, off_m = nearest(publication, driving)
        assert off_m > 1.0 or publication.detections.scores[row] < 0.6


class TestCrossing:
    """Two cars cross before us, the nearer one hiding the other for a while."""

    def scene(self, street, step):
        """The nearer car goes to the right at 3.5 m/s, the farther one to the left at 5 m/s."""
        return street.box(12.0, 4.0 - 0.35 * step, np.pi / 2), street.box(22.0, -6.0 + 0.5 * step, np.pi / 2)

    def test_names_and_places_survive(self, street, start_run):
        """Nobody takes the other's name; the hidden one is shown again at once, no farther off than 0.4 m."""
        run, names, hidden = start_run(), set(), 0
        for step in range(24):
            near, far = self.scene(street, step)
            apart = abs(near[1] / near[0] - far[1] / far[0]) > 0.15
            hidden += not apart
            seen = street.detections([near, far] if apart else [near])
            publication = run.frame(step, [near, far], seen).publication
            if step > 4:
                assert error_m(publication, near) < 0.4
            if apart and step > 4:
                assert error_m(publication, far) < 0.4
                names.add((name_of(publication, near), name_of(publication, far)))
        assert hidden >= 5
        assert len(names) == 1
        assert len(set(names.pop())) == 2

    def test_an_answer_in_the_middle_of_it_does_not_swap_them(self, street, start_run):
        """It shows only the nearer one; the hidden one is neither ended nor moved by it."""
        run, names = start_run(), {}
        for step in range(24):
            near, far = self.scene(street, step)
            apart = abs(near[1] / near[0] - far[1] / far[0]) > 0.15
            publication = run.frame(step, [near, far], street.detections([near, far] if apart else [near])).publication
            if not apart:
                run.answer(step, near)
            names[step] = (name_of(publication, near), name_of(publication, far))
        assert names[6] == names[23]
        assert len(set(names[6])) == 2


class TestTurn:
    """A turn of ninety degrees, ours and another car's."""

    def test_we_turn(self, street, start_run):
        """In three seconds, at 5 m/s: a parked car keeps one name and stands still; its heading turns by ours."""
        run, car_world = start_run(), np.array([26.0, 14.0])
        names, pose = set(), SE3.identity()
        for step in range(31):
            yaw = np.pi / 2 * step / 30
            pose = SE3.from_yaw(yaw, [15 / (np.pi / 2) * np.sin(yaw), 15 / (np.pi / 2) * (1 - np.cos(yaw)), 0.0])
            x, y, _ = pose.inverse().transform_points(np.array([*car_world, 0.0]))
            car = street.box(x, y, 0.3 - yaw)
            publication = run.frame(step, [car], pose=pose).publication
            if len(street.detections([car]).scores) == 0 or step < 3:
                continue
            row, off_m = nearest(publication, car)
            assert off_m < 0.5
            assert np.hypot(*publication.velocities_world_mps[row]) < 1.0
            off_rad = turn_off_rad(publication.detections.boxes_velo[row, 6], car[6])
            assert min(off_rad, np.pi - off_rad) < np.deg2rad(15)
            names.add(name_of(publication, car))
        assert len(names) == 1

    def test_the_other_car_turns(self, street, start_run):
        """From going away to going left, in two seconds at 6 m/s: one name, its place to 0.5 m, its heading to 20°."""
        run, names, place = start_run(), set(), np.array([14.0, -4.0])
        for step in range(45):
            yaw = np.pi / 2 * np.clip((step - 15) / 20, 0.0, 1.0)
            place = place + 0.6 * np.array([np.cos(yaw), np.sin(yaw)])
            car = street.box(*place, yaw)
            publication = run.frame(step, [car]).publication
            if step < 8:
                continue
            row, off_m = nearest(publication, car)
            assert off_m < 0.5
            assert turn_off_rad(publication.detections.boxes_velo[row, 6], yaw) < np.deg2rad(20)
            names.add(name_of(publication, car))
        assert len(names) == 1


def test_half_of_the_detections_missing_is_no_flicker(street, start_run):
    """A 2D detector that sees a car in every other frame: the car is shown in all of them, under one name."""
    run, names = start_run(), set()
    nothing = Detections2D.empty()
    for step in range(20):
        boxes = traffic(street, step)
        publication = run.frame(step, boxes, None if step % 2 == 0 else nothing).publication
        if step > 4:
            assert len(publication.detections) == 2
            names.add(tuple(sorted(publication.track_ids.tolist())))
    assert len(names) == 1
