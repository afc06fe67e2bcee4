"""Names that objects keep or lose, on scenes counted by hand."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from vedette.evaluation.identity import IdentityCounts, count_identities
from vedette.evaluation.objects import ScoredFrame
from vedette.evaluation.summary import identity_keys, identity_metrics
from vedette.evaluation.table import Table
from vedette.evaluation.targets import CAR, VEHICLE


@pytest.fixture
def follow(row, objects):
    """Counts over frames, each ``({label id: x}, {track id: x})`` or with whole rows in place of x; cars 20 m away."""

    def named(things, *, scored):
        rows = [thing if isinstance(thing, dict) else row(thing) for thing in things.values()]
        ids = np.array(list(things), np.int64) if things else None
        return dataclasses.replace(objects(rows, scored=scored), track_ids=ids)

    def count(frames, target=CAR):
        pairs = [ScoredFrame(named(labels, scored=False), named(tracks, scored=True)) for labels, tracks in frames]
        return count_identities(Table.from_frames(pairs), target, 0.5)

    return count


STILL = {1: 0.0, 2: 10.0}
BOTH = (STILL, {7: 0.0, 8: 10.0})
SWAPPED = (STILL, {8: 0.0, 7: 10.0})
ALONE = ({1: 0.0}, {7: 0.0})
MISSED = ({1: 0.0}, {})
RENAMED = ({1: 0.0}, {9: 0.0})


@pytest.mark.parametrize(
    ("frames", "switches", "fragmentations", "idf1"),
    [
        pytest.param([BOTH] * 4, 0, 0, 100.0, id="nothing happens"),
        # each label is with 7 or 8 in 3 of 4 frames: 6 of 8 boxes have the right name
        pytest.param([BOTH, BOTH, BOTH, SWAPPED], 2, 0, 75.0, id="two swap"),
        # each keeps its best name in 2 of 3 frames: 4 boxes of 6
        pytest.param([BOTH, SWAPPED, BOTH], 4, 0, 200 * 4 / 12, id="two swap and swap back"),
        # 2 TP in 3 labels and 2 boxes, all by the right name
        pytest.param([ALONE, MISSED, ALONE], 0, 1, 80.0, id="a gap, the same name after"),
        pytest.param([ALONE, MISSED, RENAMED], 1, 1, 40.0, id="a gap, another name after"),
        pytest.param([ALONE, RENAMED, RENAMED], 1, 0, 200 * 2 / 6, id="another name, no gap"),
        pytest.param([MISSED, MISSED, ALONE], 0, 0, 50.0, id="found late is no fragmentation"),
        pytest.param([ALONE, MISSED, MISSED], 0, 0, 50.0, id="lost for good is none either"),
        pytest.param([MISSED], 0, 0, 0.0, id="never found"),
    ],
)
def test_counts(follow, frames, switches, fragmentations, idf1):
    """By hand."""
    found = follow(frames)
    assert (found.switches, found.fragmentations) == (switches, fragmentations)
    assert found.idf1 == pytest.approx(idf1)


def test_two_cars_that_cross(follow, row):
    """They pass each other a lane apart: tracks that follow keep their names, tracks that bounce off swap them."""
    ways = [(-4.0, 4.0), (0.0, 0.0), (4.0, -4.0)]

    def named(first, second, way):
        return {first: row(way[0], z=20.0), second: row(way[1], z=24.0)}

    labels = [named(1, 2, way) for way in ways]
    followed = [named(7, 8, way) for way in ways]
    bounced = [*followed[:2], named(8, 7, ways[2])]
    assert follow(list(zip(labels, followed, strict=True))).switches == 0
    assert follow(list(zip(labels, bounced, strict=True))).switches == 2


def test_the_last_pairing_is_kept_while_it_holds(follow):
    """A second box that fits better takes no label over from its track, of which 3.6 m of 4.4 m still overlap."""
    frames = [ALONE, ({1: 0.0}, {7: 0.4, 9: 0.0}), ALONE]
    assert follow(frames).switches == 0
    gone = [ALONE, ({1: 0.0}, {7: 2.0, 9: 0.0}), ({1: 0.0}, {9: 0.0})]
    assert follow(gone).switches == 1


def test_what_does_not_count_is_no_gap(follow, row):
    """A car that is hidden for a while is not missed, and not found; another name after is a switch."""
    hidden = {1: row(0.0, occlusion=3)}
    assert follow([ALONE, (hidden, {}), ALONE]) == IdentityCounts(1, 0, 0, 100.0)
    assert follow([ALONE, (hidden, {}), RENAMED]) == IdentityCounts(1, 1, 0, 50.0)
    assert follow([(hidden, {})]) == IdentityCounts(0, 0, 0, None)


def test_boxes_below_the_score_cut_name_nothing(follow, row):
    """As if they were not there."""
    unsure = ({1: 0.0}, {9: row(0.0, score=0.4)})
    assert follow([ALONE, unsure, ALONE]) == IdentityCounts(1, 0, 1, pytest.approx(80.0))


def test_classes_of_one_target_are_one(follow, row):
    """A car taken for a van keeps its name as a vehicle; as a car it is missed for a frame."""
    frames = [ALONE, ({1: 0.0}, {7: row(0.0, type="Van")}), ALONE]
    assert follow(frames, VEHICLE) == IdentityCounts(1, 0, 0, 100.0)
    assert follow(frames, CAR) == IdentityCounts(1, 0, 1, pytest.approx(80.0))


@pytest.mark.parametrize("nameless", ["labels", "tracks"])
def test_without_names_nothing_is_defined(follow, nameless):
    """Labels of a format without ids, and policies that follow nothing."""
    names = {"labels": ({-1: 0.0}, {7: 0.0}), "tracks": ({1: 0.0}, {-1: 0.0})}
    assert follow([ALONE, names[nameless]]) is None


def test_metrics_and_their_keys(row, objects):
    """Cars are vehicles; classes without labels have counts of nothing, and no IDF1."""
    cars = objects([row()], scored=False), objects([row()], scored=True)
    labels, tracks = (dataclasses.replace(one, track_ids=np.array([3])) for one in cars)
    figures = identity_metrics(Table.from_frames([ScoredFrame(labels, tracks)]))
    assert figures["idf1.vehicle.3d.0.5.r50"] == 100.0
    assert figures["label_tracks.vehicle.3d.0.5.r50"] == 1
    assert figures["id_switches.pedestrian.3d.0.5.r50"] == 0
    assert set(identity_keys()) - set(figures) == {"idf1.pedestrian.3d.0.5.r50", "idf1.cyclist.3d.0.5.r50"}
    unnamed = identity_metrics(Table.from_frames([ScoredFrame(*cars)]))
    assert not [key for key in unnamed if "vehicle" in key]
