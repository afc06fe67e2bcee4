"""Object and tracking label files."""

from __future__ import annotations

import tarfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.datasets.kitti.labels import (
    format_labels,
    format_tracking_labels,
    parse_label_file,
    parse_labels,
    parse_tracking_label_file,
    parse_tracking_labels,
)
from vedette.errors import FileFormatError, MissingDataError
from vedette.evaluation.objects import CameraObjects

PATH = Path("000003.txt")
CAR = "Car 0.00 0 1.55 614.24 181.78 727.31 284.77 1.57 1.73 4.15 1.00 1.75 13.22 1.62"
DONT_CARE = "DontCare -1 -1 -10 5.00 229.89 214.12 367.61 -1 -1 -1 -1000 -1000 -1000 -10"
RESULT = "Car -1 -1 -0.61 0.00 195.91 440.43 374.00 1.58 1.64 3.10 -2.58 1.76 3.93 -1.19 0.6479"
TRACKED = "25 3 Van 1 2 2.135617 719.55 159.03 841.73 221.84 2.195 1.895 5.530 6.656 1.725 27.818 2.367"


def test_columns_land_where_they_belong() -> None:
    """KITTI's order of sizes is height, width, length, before the position."""
    objects = parse_labels(f"{CAR}\n{DONT_CARE}\n", PATH)
    assert objects.types == ("Car", "DontCare")
    assert objects.truncation.tolist() == [0.0, -1.0]
    assert objects.occlusion.tolist() == [0, -1]
    assert objects.alpha.tolist() == [1.55, -10.0]
    assert objects.boxes_px[0].tolist() == [614.24, 181.78, 727.31, 284.77]
    assert objects.boxes_cam[0].tolist() == [1.00, 1.75, 13.22, 1.57, 1.73, 4.15, 1.62]
    assert objects.scores is None
    assert objects.track_ids is None


def test_results_carry_scores() -> None:
    """The sixteenth column."""
    scores = parse_labels(RESULT, PATH).scores
    assert scores is not None
    assert scores.tolist() == [0.6479]


def test_tracking_rows_are_grouped_by_frame() -> None:
    """Frames come with their track ids; the truncation level stands as it is."""
    text = f"{TRACKED}\n{TRACKED.replace('25 3', '25 4')}\n{TRACKED.replace('25 3', '30 -1')}\n"
    by_frame = parse_tracking_labels(text, PATH)
    assert list(by_frame) == [25, 30]
    objects = by_frame[25]
    assert objects.track_ids is not None
    assert objects.track_ids.tolist() == [3, 4]
    assert objects.truncation.tolist() == [1.0, 1.0]
    assert objects.boxes_cam[0].tolist() == [6.656, 1.725, 27.818, 2.195, 1.895, 5.530, 2.367]


def test_tracking_results_carry_scores() -> None:
    """The eighteenth column."""
    scores = parse_tracking_labels(f"{TRACKED} 0.5", PATH, scored=True)[25].scores
    assert scores is not None
    assert scores.tolist() == [0.5]


@pytest.mark.parametrize("text", ["", "\n", "  \n\n"])
def test_empty_files_hold_nothing(text: str) -> None:
    """Scored or not, as asked."""
    assert len(parse_labels(text, PATH)) == 0
    assert parse_labels(text, PATH, scored=True).scores is not None
    assert parse_tracking_labels(text, PATH) == {}


@pytest.mark.parametrize(
    ("text", "scored", "line", "message"),
    [
        (TRACKED, None, 1, "17 columns (as in the tracking layout); expected the object layout's 15"),
        (f"{CAR}\n{TRACKED}", None, 2, "17 columns (as in the tracking layout)"),
        (f"{CAR}\n\n{RESULT}", None, 3, "16 columns (as in the object layout); expected the object layout's 15 (16"),
        (CAR, True, 1, "15 columns (as in the object layout); expected the object layout's 16 (with a score)"),
        (RESULT, False, 1, "16 columns (as in the object layout); expected the object layout's 15"),
        (CAR.replace("Car", "Bicycle"), None, 1, "the type 'Bicycle'; expected one of Car, Van"),
        (CAR.replace("13.22", "far"), None, 1, "'far' is not a number; expected 14 numbers after the type"),
        (CAR.replace("13.22", "inf"), None, 1, "'inf' is not finite"),
        (CAR.replace("0.00 0 ", "0.00 1e308 "), None, 1, "'1e308' is over 1e+09"),
        (CAR.replace("0.00 0 ", "0.00 0.5 "), None, 1, "'0.5' is not a whole number"),
        ("P2: 1 2 3", None, 1, "4 columns; expected the object layout's 15"),
    ],
)
def test_wrong_rows_are_refused(text: str, scored: bool | None, line: int, message: str) -> None:
    """Naming the file, the line, what stands there and what is expected."""
    with pytest.raises(FileFormatError) as caught:
        parse_labels(text, PATH, scored=scored)
    assert str(caught.value).startswith(f"{PATH}:{line}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CAR, "15 columns (as in the object layout); expected the tracking layout's 17"),
        (TRACKED.replace("25 3", "x 3"), "'x' is not a number; expected a frame number, 0 or more, first"),
        (TRACKED.replace("25 3", "-1 3"), "frame -1; expected a frame number, 0 or more, first"),
        (TRACKED.replace("25 3", "25 3.5"), "'3.5' is not a whole number; expected a track id second"),
        (f"{TRACKED} 0.5 0.5", "19 columns (as in the tracking layout)"),
    ],
)
def test_wrong_tracking_rows_are_refused(text: str, message: str) -> None:
    """Object labels in a tracking folder are noticed."""
    with pytest.raises(FileFormatError, match=r"000003\.txt:1: ") as caught:
        parse_tracking_labels(text, PATH)
    assert message in str(caught.value)


def test_missing_files(tmp_path: Path) -> None:
    """Both readers say which file."""
    for parse in (parse_label_file, parse_tracking_label_file):
        with pytest.raises(MissingDataError, match=r"0009\.txt: no such label file"):
            parse(tmp_path / "0009.txt")


def test_written_rows_are_kittis() -> None:
    """Placeholders are whole numbers, the rest has two decimals."""
    assert format_labels(parse_labels(f"{CAR}\n{DONT_CARE}\n", PATH)) == f"{CAR}\n{DONT_CARE}\n"
    assert format_labels(parse_labels(RESULT, PATH)) == f"{RESULT}00\n"


numbers = st.integers(-99_999, 99_999).map(lambda cents: cents / 100)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Car", "Person_sitting", "Misc"]),
            st.integers(0, 100).map(lambda cents: cents / 100),
            st.integers(0, 3),
            st.tuples(*[numbers] * 12),
            st.integers(0, 1_000_000).map(lambda millionths: millionths / 1e6),
        ),
        max_size=5,
    )
)
def test_what_is_written_is_read_back(rows: list[tuple[str, float, int, tuple[float, ...], float]]) -> None:
    """For any scored objects at KITTI's precision."""
    table = np.array([row[3] for row in rows]).reshape(-1, 12)
    objects = CameraObjects(
        tuple(row[0] for row in rows),
        np.array([row[1] for row in rows]).reshape(-1),
        np.array([row[2] for row in rows], dtype=np.int64),
        table[:, 0],
        table[:, 1:5],
        table[:, 5:],
        np.array([row[4] for row in rows]).reshape(-1),
    )
    back = parse_labels(format_labels(objects), PATH, scored=True)
    assert back.types == objects.types
    for name in ("truncation", "occlusion", "alpha", "boxes_px", "boxes_cam", "scores"):
        assert np.array_equal(getattr(back, name), getattr(objects, name)), name


def test_tracking_labels_without_ids_get_minus_one() -> None:
    """The column cannot be left out."""
    assert format_tracking_labels({7: parse_labels(CAR, PATH)}).startswith("7 -1 Car 0 0 1.550000 614.240000 ")


@pytest.mark.shared
def test_every_label_file_of_the_object_benchmark(shared_dir: Path) -> None:
    """All 7,481 parse, and writing gives the same text, byte for byte."""
    archive = shared_dir / "data" / "kitti" / "object" / "all_label_2_calib.tar.xz"
    count = 0
    with tarfile.open(archive) as tar:
        for member in tar:
            if not member.isfile() or "/label_2/" not in member.name:
                continue
            file = tar.extractfile(member)
            assert file is not None
            text = file.read().decode()
            assert format_labels(parse_labels(text, Path(member.name), scored=False)) == text, member.name
            count += 1
    assert count == 7481


@pytest.mark.shared
@pytest.mark.parametrize(("sequence", "cars", "vans"), [("0000", 0, 83), ("0001", 386, 25)])
def test_tracking_labels_of_real_sequences(kitti_root: Path, sequence: str, cars: int, vans: int) -> None:
    """They hold what the data's description says, and are written back digit for digit."""
    path = kitti_root / "tracking" / "label_02" / f"{sequence}.txt"
    by_frame = parse_tracking_label_file(path, scored=False)
    types = [name for objects in by_frame.values() for name in objects.types]
    assert (types.count("Car"), types.count("Van")) == (cars, vans)
    assert format_tracking_labels(by_frame) == path.read_text()
