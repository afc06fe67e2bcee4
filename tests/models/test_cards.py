"""Model cards."""

import os

import pytest

from vedette.errors import ModelCardError
from vedette.models.cards import FAMILY_TASK, SCHEMA_VERSION, card_as_yaml, read_card
from vedette.models.catalog import known_cards, recognise
from vedette.models.labels import channel_class_ids

TRAINED_HERE = {"camera2d", "pillars"}
"""Families whose weights come with the package instead."""
ONLY_USERS_OWN = {"nanodet", "yolov8", "split_pillars"}
"""Families of which no published file is recognised."""


def test_reads_a_complete_card(write_card):
    """Every field arrives."""
    card = read_card(write_card())
    assert card.label == "tiny@1"
    assert card.inputs[0].shape == (1, 3, 64, 64)
    assert card.accuracy == ()


def test_texts_may_have_lines(write_card):
    """And tabs, as recipes do."""
    assert read_card(write_card(training_recipe="first\n\tsecond\n")).training_recipe == "first\n\tsecond\n"


def test_a_pipe_is_not_waited_for(tmp_path):
    """Nobody may ever write into it."""
    os.mkfifo(tmp_path / "card.yaml")
    with pytest.raises(ModelCardError, match="pipe or a device; expected a YAML file"):
        read_card(tmp_path / "card.yaml")


def test_writing_then_reading_gives_the_same_card(tmp_path, write_card):
    """Nothing is lost on the way to YAML and back."""
    card = read_card(write_card(range_m=70.0))
    (tmp_path / "again.yaml").write_text(card_as_yaml(card))
    assert read_card(tmp_path / "again.yaml") == card


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"schema_version": SCHEMA_VERSION + 1}, f"card of schema {SCHEMA_VERSION + 1}; this build understands"),
        ({"schema_version": 0}, "schema_version is 0"),
        ({"schema_version": None}, "schema_version is None"),
        ({"schema_version": True}, "schema_version is True"),
        ({"colour": "red"}, r"colour: .*known keys: schema_version, name"),
        ({"licence": None}, "licence: Field required"),
        ({"sha256": "abc"}, "sha256: "),
        ({"name": "../evil"}, "name: "),
        ({"name": ".hidden"}, "name: "),
        ({"version": "1.x"}, "version: "),
        ({"version": 1}, "version: "),
        ({"family": "resnet"}, "family: "),
        ({"task": "detect3d"}, "family nanodet_plus does detect2d, not detect3d"),
        ({"classes": []}, "classes: "),
        ({"preprocess": {"channels": "hsv"}}, "preprocess.channels: "),
        ({"preprocess": {"deviation": [1, 0, 1]}}, "preprocess.deviation.1: "),
        ({"preprocess": {"colour": "rgb"}}, r"preprocess.colour: .*known keys: channels, "),
        ({"preprocess": {"mean": 0}}, r"preprocess.mean: .*expected several values in brackets"),
        ({"inputs": [{"name": "x", "colour": "red"}]}, r"inputs.0.colour: .*known keys: name, dtype, shape"),
        ({"preprocess": "rgb"}, "preprocess: "),
        ({"family": "deeplab", "task": "segment", "preprocess": {"pad": 0}}, "family deeplab has no keys preprocess"),
        ({"title": "a\x1b[31mb"}, "title: .*pattern"),
        ({"licence": "a\x9bb"}, "licence: .*pattern"),
        ({"classes": ["car", "a\x7f"]}, r"classes\.1: .*pattern"),
        ({"training_data": "a\rb"}, "training_data: .*pattern"),
        ({"inputs": [{"name": "x", "dtype": "float32", "shape": [1, "N\x08"]}]}, r"inputs\.0\.shape\.1.*pattern"),
        ({"range_m": -1}, "range_m: "),
        ({"range_m": float("inf")}, "range_m: .*finite"),
        (
            {"accuracy": [{"metric": "f1", "value": float("nan"), "data": "x", "command": "x"}]},
            r"accuracy\.0\.value: .*finite",
        ),
        ({"inputs": [{"name": "x", "dtype": "float16", "shape": [1]}]}, "inputs.0.dtype: "),
    ],
)
def test_refuses_a_card_it_does_not_understand(write_card, changes, complaint):
    """The message names the file and the key."""
    path = write_card(**changes)
    with pytest.raises(ModelCardError, match=complaint) as caught:
        read_card(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"a: [1", "cannot be read as YAML"),
        (b"- 1", "holds a list"),
        (b"", "holds a NoneType"),
        (b"\xff", "YAML"),
        (b"a: 2011-99-99", "YAML"),
    ],
)
def test_refuses_a_file_that_is_no_card(tmp_path, content, complaint):
    """Broken YAML, or YAML of another shape."""
    (tmp_path / "card.yaml").write_bytes(content)
    with pytest.raises(ModelCardError, match=complaint):
        read_card(tmp_path / "card.yaml")


def test_a_missing_card_says_what_is_expected(tmp_path):
    """Not a bare FileNotFoundError."""
    with pytest.raises(ModelCardError, match="no such card"):
        read_card(tmp_path / "card.yaml")


def test_defaults_fill_gaps_and_overrides_win(write_card):
    """A card without a hash takes the one given; a name given wins over the card's."""
    card = read_card(write_card(sha256=None), defaults={"sha256": "a" * 64, "name": "no"}, overrides={"version": "2.1"})
    assert (card.sha256, card.name, card.version) == ("a" * 64, "tiny", "2.1")


def test_versions_sort_by_number(write_card):
    """1.10 comes after 1.9."""
    assert read_card(write_card(version="1.10")).version_key > read_card(write_card(version="1.9")).version_key


def test_the_catalogue_is_complete():
    """Every family of others with published files has a card, found by its hash, with some of our classes."""
    cards = known_cards()
    assert {card.family for card in cards} == set(FAMILY_TASK) - TRAINED_HERE - ONLY_USERS_OWN
    for card in cards:
        assert recognise(card.sha256) == card
        assert (channel_class_ids(card) >= 0).any()
    assert recognise("0" * 64) is None


@pytest.mark.parametrize(
    ("family", "given", "expected"),
    [
        ("yolox", None, ("bgr", "top_left", (0, 0, 0), (1, 1, 1))),
        ("yolov8", None, ("rgb", "centre", (0, 0, 0), (255, 255, 255))),
        ("nanodet", None, ("bgr", "stretch", (103.53, 116.28, 123.675), (57.375, 57.12, 58.395))),
        ("yolov8", {"channels": "bgr", "fit": "top_left"}, ("bgr", "top_left", (0, 0, 0), (255, 255, 255))),
    ],
)
def test_preprocess_keys_that_are_left_out_are_the_familys(write_card, family, given, expected):
    """And those that are given stay."""
    keys = read_card(write_card(family=family, preprocess=given)).preprocess
    assert (keys.channels, keys.fit, keys.mean, keys.deviation) == expected
