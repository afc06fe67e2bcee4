"""What a card says of trainings that follow one another."""

import hashlib
import json
import zipfile

import pytest

from vedette.errors import ConfigError, MissingDataError
from vedette.models.training_recipe import data_text, described_start, photograph_sets, recipe_text, stages


def training(samples, start=None, **options):
    """A `config.json`."""
    return {
        "family": "pillars",
        "options": {"steps": 6, **options},
        "config": {"steps": 6},
        "samples": [
            {"folder": name, "sha256": name * 3, "count": 12, "recipe": {}, **more} for name, more in samples.items()
        ],
        "held_out": {"folder": "h"},
        "start": start,
        "torch": "2.14",
    }


FIRST = training({"a": {"weight": 1.0}}, size="nano")
SECOND = training(
    {"b": {"weight": 0.25}, "a": {"weight": 0.75}}, {"sha256": "f00", "step": 6, "training": FIRST}, negatives=True
)


def test_one_training_is_one_command():
    """With all its options; a set without a weight has none."""
    assert (
        recipe_text(FIRST, 6)
        == "vedette models train pillars RUN1 --samples SAMPLES1=1 --steps 6 --size nano, torch 2.14; SHA-256 over the"
        " shards: SAMPLES1 aaa"
    )
    assert "--samples SAMPLES1 --steps" in recipe_text(training({"a": {}}), 6)


def test_a_training_that_begins_with_another_follows_it():
    """Sets keep their names, flags have no value, and the checkpoint is told by its hash."""
    assert recipe_text(SECOND, 4) == (
        "vedette models train pillars RUN1 --samples SAMPLES1=1 --steps 6 --size nano, torch 2.14; then vedette models"
        " train pillars RUN2 --samples SAMPLES2=0.25 --samples SAMPLES1=0.75 --steps 6 --negatives --start"
        " RUN1/checkpoint.pt (SHA-256 f00), torch 2.14, exported after 4 steps; SHA-256 over the shards:"
        " SAMPLES1 aaa, SAMPLES2 bbb"
    )
    assert stages(SECOND) == [FIRST, SECOND]


def test_a_start_that_was_not_trained_to_its_end_says_so():
    """The command alone would tell of other weights."""
    stopped = training({"a": {}}, {"sha256": "f00", "step": 4, "training": FIRST})
    assert "--start RUN1/checkpoint.pt (SHA-256 f00, after 4 steps)" in recipe_text(stopped, 6)


def test_weights_from_elsewhere_are_told_by_their_hash():
    """Nobody knows how they were made."""
    assert "--start CHECKPOINT (SHA-256 f00, after 5 steps)" in recipe_text(
        training({}, {"sha256": "f00", "step": 5, "training": None}), 6
    )


def test_every_set_is_described_once():
    """In the order of their use, without hashes: reports show it to people."""
    assert data_text(SECOND, lambda entry: f"things of {entry['sha256'][0]}") == (
        "SAMPLES1: 12 things of a; SAMPLES2: 12 things of b"
    )


def test_a_start_is_described_with_its_own_training(tmp_path):
    """Where its folder tells; none is none."""
    path = tmp_path / "checkpoint.pt"
    with pytest.raises(MissingDataError, match=r"checkpoint\.pt: not there"):
        described_start(path, lambda _: 7)
    path.write_bytes(b"weights")
    with pytest.raises(ConfigError, match=r"checkpoint\.pt: another file, or cut short"):
        described_start(path, lambda _: 7)
    with zipfile.ZipFile(path, "w") as file:  # as torch writes them
        file.writestr("weights", "")
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    assert described_start(path, lambda _: 7) == {"sha256": sha256, "step": 7, "training": None}
    (tmp_path / "config.json").write_text(json.dumps(FIRST))
    assert described_start(path, lambda _: 7) == {"sha256": sha256, "step": 7, "training": FIRST}
    assert described_start(None, lambda _: 7) is None


def test_photographs_are_named_like_samples():
    """Each set once, in the command where it was used and with its hash; not all stages use some."""
    one, other = ({"folder": "f", "count": 3, "sha256": sha256} for sha256 in ("ddd", "eee"))
    first = {**training({"a": {}}), "photographs": one}
    second = {**training({"a": {}}, {"sha256": "f00", "step": 6, "training": first}), "photographs": None}
    third = {**training({"a": {}}, {"sha256": "f11", "step": 6, "training": second}), "photographs": other}
    text = recipe_text({**training({"a": {}}, {"sha256": "f22", "step": 6, "training": third}), "photographs": one}, 6)
    assert [part.partition(" --steps")[0] for part in text.split("; ")[0:4]] == [
        "vedette models train pillars RUN1 --samples SAMPLES1 --photographs PHOTOGRAPHS1",
        "then vedette models train pillars RUN2 --samples SAMPLES1",
        "then vedette models train pillars RUN3 --samples SAMPLES1 --photographs PHOTOGRAPHS2",
        "then vedette models train pillars RUN4 --samples SAMPLES1 --photographs PHOTOGRAPHS1",
    ]
    assert text.endswith(
        "; SHA-256 over the shards: SAMPLES1 aaa; SHA-256 over the photographs: PHOTOGRAPHS1 ddd, PHOTOGRAPHS2 eee"
    )
    assert photograph_sets(third) == [one, other]
    assert photograph_sets(FIRST) == []
