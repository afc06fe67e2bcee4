"""`vedette evaluate kitti-object`: files in, table and JSON out, every mistake named."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from vedette.cli.main import app
from vedette.errors import ConfigError, DataError, FileFormatError, MissingDataError

LABEL = "Car 0.00 0 0.10 100.00 100.00 200.00 150.00 1.50 1.60 4.00 {x:.2f} 1.50 20.00 0.10"
REGION = "DontCare -1 -1 -10 0.00 0.00 50.00 500.00 -1 -1 -1 -1000 -1000 -1000 -10"
NAMES = [f"{k:06d}" for k in range(45)]


@pytest.fixture
def folders(tmp_path):
    """45 frames with one car each, all found."""
    for folder in ("labels", "results"):
        (tmp_path / folder).mkdir()
    for k, name in enumerate(NAMES):
        (tmp_path / "labels" / f"{name}.txt").write_text(f"{LABEL.format(x=k)}\n{REGION}\n")
        (tmp_path / "results" / f"{name}.txt").write_text(f"{LABEL.format(x=k)} 0.90\n")
    return tmp_path


def evaluate(folders, *more):
    arguments = ["--labels", str(folders / "labels"), "--detections", str(folders / "results"), *more]
    return CliRunner().invoke(app, ["evaluate", "kitti-object", *map(str, arguments)])


def run_of(folders, *more):
    file = folders / "out.json"
    result = evaluate(folders, "--json", file, *more)
    assert result.exit_code == 0, result.output
    document = json.loads(file.read_text())
    assert document["command"] == "evaluate kitti-object"
    assert set(document) == {"schema", "command", "config", "runs"}
    return result.output, document["runs"][0]


def test_perfect_results(folders):
    """The table shows class, difficulty and both averages; the JSON has the keys that define the figures."""
    output, run = run_of(folders)
    assert (
        run["ap.r40.car.bev.0.7.moderate"] == run["ap.r11.car.3d.0.5.easy"] == run["aos.r40.car.2d.0.7.hard"] == 100.0
    )
    assert (run["frames"], run["detections"], run["labels.car.moderate"]) == (45, 45, 45)
    assert "R40" in output
    assert "R11" in output
    assert "45 frames, 90 rows of labels" in output
    assert "moderate" in output
    assert "van" not in output.split("KITTI average precision")[0]


def test_missing_result_file_counts_as_empty(folders):
    """The frame's car is missed, and the output says why."""
    (folders / "results" / "000003.txt").unlink()
    output, run = run_of(folders)
    assert run["frames_without_result_file"] == 1
    assert run["ap.r40.car.3d.0.7.moderate"] < 100.0
    assert "1 of 45 frames have no result file (first 000003.txt)" in output


def test_listed_frames_only(folders):
    """--frames scores a part, and says what it left out."""
    (folders / "val.txt").write_text("000001\n000002\n")
    output, run = run_of(folders, "--frames", folders / "val.txt")
    assert run["frames"] == run["labels.car.hard"] == 2
    assert run["ap.r40.car.3d.0.7.hard"] == 2.5
    assert "43 result files of frames that are not listed left out" in output


def test_json_on_standard_output_is_alone_there(folders):
    """With --json - the table goes to the error stream."""
    result = evaluate(folders, "--json", "-")
    assert json.loads(result.stdout)["runs"][0]["frames"] == 45
    assert "R40" in result.stderr


def test_boxes_without_2d_and_alpha_are_pointed_out(folders):
    """Results of a LiDAR detector with placeholders score 0: the output says why."""
    for name in NAMES:
        text = "Car -1 -1 -10 -1 -1 -1 -1 1.50 1.60 4.00 0.00 1.50 20.00 0.10 0.90\n"
        (folders / "results" / f"{name}.txt").write_text(text)
    output, run = run_of(folders)
    assert run["ap.r40.car.3d.0.5.hard"] == 0.0
    assert "45 detections with an empty 2D box" in output
    assert "No AOS" in output
    assert not [key for key in run if key.startswith("aos")]


def write(place, text):
    def change(folders):
        (folders / place).write_text(text)

    return change


def remove_all(place):
    def change(folders):
        for file in (folders / place).glob("*.txt"):
            file.unlink()

    return change


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        (write("results/000002.txt", LABEL.format(x=1)), FileFormatError, ["000002.txt:1", "15 columns", "score"]),
        (
            write("labels/000002.txt", LABEL.format(x=1) + " 0.9"),
            FileFormatError,
            ["labels", "000002.txt:1", "16 columns"],
        ),
        (write("results/000004.txt", f"\n{LABEL.format(x=1)} high"), FileFormatError, ["000004.txt:2", "'high'"]),
        (write("results/000004.txt", f"{LABEL.format(x=1)} nan"), FileFormatError, ["000004.txt:1", "not finite"]),
        (write("results/000004.txt", "Car 0.9\n"), FileFormatError, ["000004.txt:1", "2 columns"]),
        (write("results/000004.txt", f"Ufo{LABEL.format(x=1)[3:]} 1"), FileFormatError, ["000004.txt:1", "'Ufo'"]),
        (write("results/999999.txt", ""), MissingDataError, ["1 result file without a label file", "999999.txt"]),
        (remove_all("results"), MissingDataError, ["no result files"]),
        (remove_all("labels"), MissingDataError, ["no label files"]),
    ],
)
def test_wrong_files_are_named(folders, change, error, said):
    """Which file, which line, what was met."""
    change(folders)
    result = evaluate(folders)
    assert isinstance(result.exception, error)
    for words in said:
        assert words in str(result.exception)


@pytest.mark.parametrize(("text", "said"), [("", "no frame is listed"), ("000001\n777777\n", "777777")])
def test_wrong_lists_are_named(folders, text, said):
    """An empty list, and a frame without labels."""
    (folders / "val.txt").write_text(text)
    result = evaluate(folders, "--frames", folders / "val.txt")
    assert isinstance(result.exception, ConfigError | DataError)
    assert said in str(result.exception)


def test_missing_list_and_folder(folders):
    """Neither need exist; both are named."""
    assert "nowhere.txt" in str(evaluate(folders, "--frames", folders / "nowhere.txt").exception)
    result = evaluate(folders, "--detections", folders / "elsewhere")
    assert isinstance(result.exception, MissingDataError)
    assert "elsewhere" in str(result.exception)
