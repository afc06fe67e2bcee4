"""The CSV that a training writes."""

import csv

import pytest

from vedette.errors import FileFormatError
from vedette.models.training_log import TrainingLog

COLUMNS = ("heat_loss", "box_loss", "ap.r40.car.bev.0.7")


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_lines_have_losses_or_figures(tmp_path, capsys):
    """What is missing stays empty; what has no column is only shown."""
    log = TrainingLog(tmp_path / "log.csv", COLUMNS)
    log.add({"step": 50, "learning_rate": 0.001, "heat_loss": 1.25})
    log.add({"step": 100, "ap.r40.car.bev.0.7": 71.5, "best_cut.car": 0.4})
    first, second = rows(tmp_path / "log.csv")
    assert list(first) == ["step", "seconds", "learning_rate", *COLUMNS]
    assert (first["step"], first["learning_rate"], first["heat_loss"], first["box_loss"]) == ("50", "0.001", "1.25", "")
    assert (second["ap.r40.car.bev.0.7"], second["heat_loss"]) == ("71.5", "")
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("step 50  seconds ")
    assert "best_cut.car 0.4" in shown[1]


def test_a_training_that_goes_on_adds_to_the_file(tmp_path):
    """One header; steps after the checkpoint are taken again, so their lines go."""
    path = tmp_path / "log.csv"
    log = TrainingLog(path, COLUMNS)
    for step in (1, 2, 3):
        log.add({"step": step, "heat_loss": 0.5})
    TrainingLog(path, COLUMNS, step=2).add({"step": 3, "heat_loss": 0.25})
    assert [(row["step"], row["heat_loss"]) for row in rows(path)] == [("1", "0.5"), ("2", "0.5"), ("3", "0.25")]


@pytest.mark.parametrize(
    ("content", "met"),
    [
        (b"a,b\n1,2\n", "step '' in line 2"),
        (b"step,seconds\nfoo,1\n", "step 'foo' in line 2"),
        (b"step,seconds\n\0,1\n", "step .* in line 2"),
        (b"PK\3\4\xff\xfe\n\x9c", "no CSV"),
        (b"step,seconds\n" + b"1" * 200_000, "no CSV"),
    ],
)
def test_a_file_of_something_else_is_not_written_over(tmp_path, content, met):
    """Whoever named the folder may want it back."""
    path = tmp_path / "log.csv"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=rf"log\.csv: {met}.*; expected what a training has written"):
        TrainingLog(path, COLUMNS)
    assert path.read_bytes() == content
