"""From a request to a trained network."""

import csv
import json
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'vedette[train]'")

from vedette.errors import ConfigError  # noqa: E402
from vedette.models.pillars.training.network import NetworkConfig  # noqa: E402
from vedette.models.pillars.training.train import train  # noqa: E402
from vedette.models.training_run import Schedule, TrainingRequest  # noqa: E402

SMALL = NetworkConfig(point_width=8, widths=(8, 8, 8), depths=(0, 1, 1), neck_width=8, head_width=8)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """One thread, as training is run beside other work, and a network of a size that learns in seconds."""
    torch.set_num_threads(1)
    monkeypatch.setattr("vedette.models.pillars.training.train.SIZES", {"nano": SMALL})


@pytest.fixture
def request_(sample_folder, tmp_path):
    """Four steps, looking at one sample after two."""
    schedule = Schedule(log_steps=4, evaluate_steps=2, evaluate_samples=1)
    return TrainingRequest(tmp_path / "run", (f"{sample_folder}=2",), sample_folder, 4, 1, 3e-3, 0, None, 1, schedule)


def weights(folder):
    return torch.load(folder / "checkpoint.pt", weights_only=True)["averaged"]


def test_a_training_leaves_a_log_and_a_checkpoint(request_):
    """Losses and figures where asked for, figures of all at the end."""
    assert train(request_, "nano", negatives=False)
    with (request_.run / "log.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["step"] for line in lines] == ["2", "4", "4"]
    assert [line["heat_loss"] != "" for line in lines] == [False, True, False]
    assert [line["ap.r40.car.bev.0.5"] != "" for line in lines] == [True, False, True]


def test_a_training_that_was_stopped_ends_as_one_that_was_not(request_, tmp_path):
    """Bit for bit."""
    asked = iter([False, False, True])
    assert not train(request_, "nano", negatives=False, stopped=lambda: next(asked))
    assert train(request_, "nano", negatives=False)
    whole = replace(request_, run=tmp_path / "whole")
    train(whole, "nano", negatives=False)
    other = weights(whole.run)
    assert all(torch.equal(value, other[name]) for name, value in weights(request_.run).items())


def test_the_configuration_tells_all_that_the_weights_follow_from(request_, tmp_path):
    """Samples by their hashes; what came before it in full."""
    brief = replace(request_, schedule=Schedule(minutes=0.0))
    train(brief, "nano", negatives=False)
    later = replace(brief, run=tmp_path / "later", start=brief.run / "checkpoint.pt")
    train(later, "nano", negatives=True)
    first, second = (json.loads((one.run / "config.json").read_text(encoding="utf-8")) for one in (brief, later))
    assert (first["family"], first["samples"][0]["count"], first["samples"][0]["weight"]) == ("pillars", 12, 2.0)
    assert first["samples"][0]["sha256"] == first["held_out"]["sha256"]
    assert first["start"] is None
    assert first["options"] == {"steps": 4, "batch": 1, "learning-rate": 3e-3, "seed": 0, "size": "nano"}
    assert second["start"]["training"] == first
    assert second["options"]["hard-negatives"] is True


@pytest.mark.parametrize(
    ("change", "negatives", "match"),
    [({}, True, "without --start"), ({"samples": ("x=much",)}, False, "expected FOLDER or FOLDER=WEIGHT")],
)
def test_what_makes_no_sense_is_refused(request_, change, negatives, match):
    """Before anything is trained."""
    with pytest.raises(ConfigError, match=match):
        train(replace(request_, **change), "nano", negatives=negatives)
    assert not request_.run.exists()


@pytest.mark.parametrize("weight", ["nan", "inf", "0", "-1", "much"])
def test_weights_that_are_none_are_refused_before_anything_is_written(request_, sample_folder, weight):
    """No configuration is left behind that nobody could go on with."""
    with pytest.raises(ConfigError, match="the weight a number above 0"):
        train(replace(request_, samples=(f"{sample_folder}={weight}",)), "nano", negatives=False)
    assert not request_.run.exists()


def test_weights_of_another_network_are_no_start(request_, tmp_path, monkeypatch):
    """Of another size, or of another family."""
    brief = replace(request_, schedule=Schedule(minutes=0.0))
    train(brief, "nano", negatives=False)
    later = replace(brief, run=tmp_path / "later", start=brief.run / "checkpoint.pt")
    monkeypatch.setattr("vedette.models.pillars.training.train.SIZES", {"large": replace(SMALL, head_width=16)})
    with pytest.raises(ConfigError, match="weights of another network; expected those of the same --size"):
        train(later, "large", negatives=False)
    torch.save({"network": {}}, brief.run / "checkpoint.pt")
    with pytest.raises(ConfigError, match="not of a training of pillars"):
        train(later, "large", negatives=False)
    assert not later.run.exists()


def test_a_checkpoint_that_was_cut_short_is_said_so(request_):
    """Not in the words of a zip file's reader."""
    train(replace(request_, schedule=Schedule(minutes=0.0)), "nano", negatives=False)
    path = request_.run / "checkpoint.pt"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ConfigError, match="another file, or cut short"):
        train(request_, "nano", negatives=False)
