"""The CSV that a training writes."""

import csv

from vedette.models.pillars.training.training_log import COLUMNS, TrainingLog


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_lines_have_losses_or_figures(tmp_path, capsys):
    """What is missing stays empty; what has no column is only shown."""
    log = TrainingLog(tmp_path / "log.csv")
    log.add({"step": 50, "learning_rate": 0.001, "heat_loss": 1.25})
    log.add({"step": 100, "ap.r40.car.bev.0.7": 71.5, "best_cut.car": 0.4})
    first, second = rows(tmp_path / "log.csv")
    assert (first["step"], first["learning_rate"], first["heat_loss"], first["box_loss"]) == ("50", "0.001", "1.25", "")
    assert (second["ap.r40.car.bev.0.7"], second["heat_loss"]) == ("71.5", "")
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("step 50  seconds ")
    assert "best_cut.car 0.4" in shown[1]


def test_a_run_that_goes_on_adds_to_the_file(tmp_path):
    """One header, at the top."""
    path = tmp_path / "log.csv"
    TrainingLog(path).add({"step": 1})
    TrainingLog(path).add({"step": 2})
    assert path.read_text(encoding="utf-8").splitlines()[0] == ",".join(COLUMNS)
    assert [row["step"] for row in rows(path)] == ["1", "2"]
