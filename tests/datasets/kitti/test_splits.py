"""The committed splits."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from vedette.datasets.kitti.labels import parse_label_file
from vedette.datasets.kitti.splits import load_splits
from vedette.errors import FileFormatError


def test_report_is_apart() -> None:
    """No frame of the report may be looked at or tuned on."""
    splits = load_splits()
    seen = set(splits.look.object_folds) | set(splits.tune.object_folds)
    assert not seen & set(splits.report.object_folds)
    assert seen | set(splits.report.object_folds) == set(range(len(splits.object_folds)))
    for held in splits.report.tracking:
        for used in (*splits.look.tracking, *splits.tune.tracking):
            assert held.sequence != used.sequence or held.first > used.last or held.last < used.first
    assert not splits.report.raw


def test_folds_share_neither_drive_nor_frame() -> None:
    """81 frames, each in one fold, each drive in one fold."""
    splits = load_splits()
    drives = [drive for fold in splits.object_folds for drive in fold]
    frames = [frame for fold in range(5) for frame in splits.object_frames(fold)]
    assert len(drives) == len(set(drives)) == 37
    assert len(frames) == len(set(frames)) == 81


@pytest.mark.parametrize(
    "text", ["look: {}", "look: [", "look: {}\ntune: {}\nreport: {}\nobject_folds: []\nextra: 1", "object_folds: 3"]
)
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    """Unknown keys and missing ones alike."""
    path = tmp_path / "splits.yaml"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=r"splits\.yaml: "):
        load_splits(path)


@pytest.mark.shared
def test_folds_are_the_index_by_drive_balanced_in_cars(kitti_root: Path) -> None:
    """Made by the rule that the file states: falling by cars, each drive to the fold with the fewest."""
    frames: dict[str, list[int]] = defaultdict(list)
    with (kitti_root / "object" / "index.csv").open() as file:
        for row in csv.DictReader(file):
            frames[row["drive"].removesuffix("_sync")].append(int(row["index"]))
    labels = kitti_root / "object" / "training" / "label_2"
    cars = Counter(
        {
            drive: sum(parse_label_file(labels / f"{index:06d}.txt").types.count("Car") for index in indices)
            for drive, indices in frames.items()
        }
    )
    folds: list[dict[str, tuple[int, ...]]] = [{} for _ in range(5)]
    for drive in sorted(frames, key=lambda name: (-cars[name], name)):
        counts = [(sum(cars[name] for name in fold), sum(map(len, fold.values()))) for fold in folds]
        folds[counts.index(min(counts))][drive] = tuple(frames[drive])
    assert list(load_splits().object_folds) == folds
    assert {sum(cars[drive] for drive in fold) for fold in folds} == {56, 57}
