"""The loop, with a trainer whose losses are known beforehand."""

import csv
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from vedette.models.training_log import TrainingLog
from vedette.models.training_run import Schedule, TrainingRequest, evenly, train


@dataclass(frozen=True)
class Known:
    """One loss."""

    loss: float

    def values(self):
        return {"loss": self.loss}


class Counter:
    """Its loss is the number of the step; a checkpoint is that number in a file."""

    def __init__(self, steps, step=0):
        self.step = step
        self.steps = steps
        self.learning_rate = 0.5

    def advance(self):
        self.step += 1
        return Known(float(self.step))

    def save(self, path):
        path.write_text(str(self.step))


@pytest.fixture
def request_(tmp_path):
    """Looks at two samples every three steps, at losses every two."""
    schedule = Schedule(log_steps=2, evaluate_steps=3, evaluate_samples=2)
    return TrainingRequest(tmp_path, ("samples",), Path("held-out"), 6, 4, 0.5, 7, None, 1, schedule)


@pytest.fixture
def run(tmp_path):
    """Trains, and gives the lines of the log."""

    def trained(trainer, request, stopped=lambda: False):
        log = TrainingLog(tmp_path / "log.csv", ("loss", "figure"), trainer.step)
        finished = train(trainer, lambda count: {"figure": -1 if count is None else count}, log, request, stopped)
        with (tmp_path / "log.csv").open(newline="") as file:
            lines = [(row["step"], row["loss"], row["figure"]) for row in csv.DictReader(file)]
        return finished, lines

    return trained


def test_losses_are_means_since_the_last_line_and_the_last_figures_are_of_all_samples(run, request_, tmp_path):
    """At the last step they are measured once, not twice."""
    finished, lines = run(Counter(6), request_)
    assert finished
    assert lines == [
        ("2", "1.5", ""),
        ("3", "", "2"),
        ("4", "3.5", ""),
        ("6", "5.5", ""),
        ("6", "", "-1"),
    ]
    assert (tmp_path / "checkpoint.pt").read_text() == "6"


def test_it_stops_when_asked_and_goes_on(run, request_, tmp_path):
    """Before the next step, with a checkpoint of what it has."""
    trainer = Counter(6)
    assert run(trainer, request_, lambda: trainer.step == 4)[0] is False
    assert (tmp_path / "checkpoint.pt").read_text() == "4"
    finished, lines = run(Counter(6, step=4), request_)
    assert finished
    assert [line[0] for line in lines] == ["2", "3", "4", "6", "6"]


def test_time_up_is_a_stop(run, request_, tmp_path):
    """Nothing is lost by it."""
    assert run(Counter(6), replace(request_, schedule=Schedule(minutes=0.0)))[0] is False
    assert (tmp_path / "checkpoint.pt").read_text() == "0"


def test_a_checkpoint_is_written_now_and_then(run, request_, tmp_path):
    """A power cut costs minutes."""
    seen = []

    class Noting(Counter):
        def save(self, path):
            seen.append(self.step)

    run(Noting(3), replace(request_, schedule=Schedule(checkpoint_minutes=-1.0)))
    assert seen == [1, 2, 3, 3]


def test_a_finished_training_is_left_alone(run, request_, tmp_path):
    """No further line, no other checkpoint."""
    assert run(Counter(6, step=6), request_) == (True, [])
    assert not (tmp_path / "checkpoint.pt").exists()


@pytest.mark.parametrize(
    ("length", "count", "numbers"),
    [(5, None, [0, 1, 2, 3, 4]), (5, 9, [0, 1, 2, 3, 4]), (9, 3, [0, 4, 8]), (1, 1, [0])],
)
def test_some_of_a_set_are_of_all_its_parts(length, count, numbers):
    """First and last among them."""
    assert evenly(length, count) == numbers
