"""Our figures against those of KITTI's own C++ evaluator, on real labels."""

from __future__ import annotations

import dataclasses
import json
import tarfile
from pathlib import PurePosixPath

import numpy as np
import pytest

from vedette.datasets.kitti.labels import parse_label_file, parse_labels
from vedette.evaluation.kitti_ap import precision_curve
from vedette.evaluation.objects import ScoredFrame
from vedette.evaluation.summary import precision_cells
from vedette.evaluation.table import Metric, Table
from vedette.evaluation.targets import DIFFICULTIES, OFFICIAL_TARGETS, TARGETS

pytestmark = pytest.mark.shared

FILE_SUFFIX = {Metric.IMAGE: "detection", Metric.GROUND: "detection_ground", Metric.BOX: "detection_3d"}


@pytest.fixture(scope="module")
def all_labels(shared_dir):
    """Labels of all 7,481 training frames by name."""
    labels = {}
    with tarfile.open(shared_dir / "data" / "kitti" / "object" / "all_label_2_calib.tar.xz") as archive:
        for member in archive:
            path = PurePosixPath(member.name)
            if path.parent.name == "label_2" and path.suffix == ".txt":
                labels[path.stem] = parse_labels(archive.extractfile(member).read().decode(), path, scored=False)
    return labels


@pytest.fixture(scope="module")
def reference(shared_dir):
    """What the official evaluator printed."""
    return json.loads((shared_dir / "data" / "kitti" / "eval_reference" / "expected.json").read_text())["metrics"]


@pytest.fixture(scope="module")
def table(shared_dir, all_labels):
    """The 250 frames of the reference."""
    files = sorted((shared_dir / "data" / "kitti" / "eval_reference" / "detections").glob("*.txt"))
    assert len(files) == 250
    return Table.from_frames(
        [ScoredFrame(all_labels[file.stem], parse_label_file(file, scored=True)) for file in files]
    )


@pytest.mark.parametrize("difficulty", range(3), ids=[difficulty.name for difficulty in DIFFICULTIES])
@pytest.mark.parametrize("metric", list(Metric))
@pytest.mark.parametrize("target", OFFICIAL_TARGETS, ids=[target.name for target in OFFICIAL_TARGETS])
def test_equals_the_official_evaluator(table, reference, target, metric, difficulty):
    """R40, R11 and all 41 precisions agree within 0.01; orientation likewise."""
    curve = precision_curve(table, target, DIFFICULTIES[difficulty], metric, target.min_overlaps[0])
    expected = reference[f"{target.name}_{FILE_SUFFIX[metric]}"]
    assert curve.ap_r40 == pytest.approx(expected["ap_r40"][difficulty], abs=0.01)
    assert curve.ap_r11 == pytest.approx(expected["ap_r11"][difficulty], abs=0.01)
    assert curve.precision * 100 == pytest.approx(np.array(expected["precision_41"][difficulty]) * 100, abs=0.01)
    if metric is Metric.IMAGE:
        expected = reference[f"{target.name}_orientation"]
        assert curve.aos_r40 == pytest.approx(expected["ap_r40"][difficulty], abs=0.01)
        assert curve.aos_r11 == pytest.approx(expected["ap_r11"][difficulty], abs=0.01)
        assert curve.orientation * 100 == pytest.approx(np.array(expected["precision_41"][difficulty]) * 100, abs=0.01)


@pytest.mark.parametrize("frames", [40, 7481])
def test_real_labels_as_detections(all_labels, frames):
    """The labels themselves score 100 in every cell of at least 41 counted objects, below that (n - 1) / 40."""
    scored = []
    for labels in list(all_labels.values())[:frames]:
        kept = labels.select([name != "DontCare" for name in labels.types])
        scored.append(ScoredFrame(labels, dataclasses.replace(kept, scores=np.ones(len(kept)))))
    cells = precision_cells(Table.from_frames(scored), TARGETS, Metric)
    small = [cell for cell in cells if 0 < cell.curve.label_count < 41]
    assert bool(small) is (frames == 40)
    for cell in cells:
        assert cell.curve.ap_r40 == pytest.approx(max(min(cell.curve.label_count - 1, 40), 0) / 40 * 100), cell.key
        assert cell.curve.false_positives == 0, cell.key
