"""The training loop and its program."""

import csv
import json
import sys

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'vedette[train]'")

from vedette.errors import ConfigError  # noqa: E402
from vedette.models.pillars.training.mixture import Share  # noqa: E402
from vedette.models.pillars.training.network import NetworkConfig  # noqa: E402
from vedette.models.pillars.training.pasting import bank_of  # noqa: E402
from vedette.models.pillars.training.train import Schedule, main, train  # noqa: E402
from vedette.models.pillars.training.trainer import TrainConfig, Trainer  # noqa: E402

SMALL = NetworkConfig(point_width=8, widths=(8, 8, 8), depths=(0, 1, 1), neck_width=8, head_width=8)


@pytest.fixture(autouse=True)
def one_thread():
    """As training is run beside other work."""
    torch.set_num_threads(1)


@pytest.fixture
def make_trainer(samples):
    """A trainer on twelve scenes, whose cars it may paste too."""
    return lambda config: Trainer(config, [Share(samples)], bank_of(samples))


def test_a_run_leaves_a_log_and_a_checkpoint(make_trainer, samples, tmp_path):
    """Losses and figures where asked for, figures of all at the end; time up stops it and nothing is lost."""
    trainer = make_trainer(TrainConfig(steps=4, batch=1, network=SMALL))
    train(trainer, samples, tmp_path, Schedule(log_steps=4, evaluate_steps=2, evaluate_samples=1))
    with (tmp_path / "log.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["step"] for line in lines] == ["2", "4", "4", "4"]
    assert [line["heat_loss"] != "" for line in lines] == [False, True, False, False]
    assert all(lines[i]["ap.r40.car.bev.0.5"] != "" for i in (0, 2, 3))
    late = make_trainer(TrainConfig(steps=4, batch=1, network=SMALL))
    train(late, samples, tmp_path, Schedule(minutes=0.0))
    late.load(tmp_path / "checkpoint.pt")
    assert late.step == 0


def test_the_program_trains_and_goes_on(sample_folder, tmp_path, monkeypatch):
    """Stopped at once, started again it takes all steps; config.json tells the samples by their hashes."""
    monkeypatch.setattr("vedette.models.pillars.training.train.SIZES", {"nano": SMALL})
    arguments = ["train", str(tmp_path / "run"), "--samples", f"{sample_folder}=2", "--held-out", str(sample_folder)]
    arguments += ["--steps", "2", "--batch", "1"]
    for more in (["--minutes", "0"], []):
        monkeypatch.setattr(sys, "argv", [*arguments, *more])
        main()
    document = json.loads((tmp_path / "run" / "config.json").read_text(encoding="utf-8"))
    assert (document["samples"][0]["count"], document["samples"][0]["weight"]) == (12, 2.0)
    assert document["samples"][0]["sha256"] == document["held_out"]["sha256"]
    assert document["start_sha256"] is None
    assert torch.load(tmp_path / "run" / "checkpoint.pt", weights_only=True)["step"] == 2


@pytest.mark.parametrize(
    ("more", "match"),
    [(["--hard-negatives"], "without --start"), (["--samples", "x=much"], "expected FOLDER or FOLDER=WEIGHT")],
)
def test_the_program_refuses_what_makes_no_sense(sample_folder, tmp_path, monkeypatch, more, match):
    """Before anything is trained."""
    arguments = ["train", str(tmp_path / "run"), "--samples", str(sample_folder), "--held-out", str(sample_folder)]
    monkeypatch.setattr(sys, "argv", [*arguments, *more])
    with pytest.raises(ConfigError, match=match):
        main()
    assert not (tmp_path / "run").exists()
