"""What a training was made from, as its folder keeps it."""

import json

import pytest

from vedette.errors import ConfigError, FileFormatError, MissingDataError
from vedette.models.training_config import read_config, write_config

SAMPLES = {"folder": "a", "sha256": "1", "count": 3, "recipe": {}}
DOCUMENT = {
    "family": "x",
    "options": {"steps": 6},
    "config": {"steps": 6, "size": (3, 4)},
    "samples": [SAMPLES],
    "held_out": {"folder": "h"},
    "start": None,
    "torch": "2",
}
START = {"sha256": "f00", "step": 4, "training": None}


@pytest.mark.parametrize("start", [None, START, {**START, "training": DOCUMENT}])
def test_the_configuration_is_kept(tmp_path, start):
    """In a folder that was not there; with the trainings before it."""
    document = {**DOCUMENT, "start": start}
    write_config(tmp_path / "run", document)
    assert read_config(tmp_path / "run") == json.loads(json.dumps(document))


def test_another_configuration_is_refused_where_there_is_a_checkpoint(tmp_path):
    """What differs is named; where the samples lie and the version of torch may differ."""
    write_config(tmp_path, DOCUMENT)
    write_config(tmp_path, {**DOCUMENT, "config": {"steps": 5}})  # nothing trained: nothing to mix up
    write_config(tmp_path, DOCUMENT)
    (tmp_path / "checkpoint.pt").touch()
    write_config(tmp_path, {**DOCUMENT, "samples": [{**SAMPLES, "folder": "b"}], "torch": "3"})
    other = {**DOCUMENT, "config": {"steps": 7, "size": (3, 4)}, "samples": [{**SAMPLES, "sha256": "2"}]}
    with pytest.raises(ConfigError, match=r'config\.steps was 6 and is 7; samples\.0\.sha256 was "1" and is "2"\. Go'):
        write_config(tmp_path, other)
    assert read_config(tmp_path)["config"]["steps"] == 6


def test_more_or_fewer_sets_of_samples_are_other_settings(tmp_path):
    """As a whole: which one is new cannot be told."""
    write_config(tmp_path, DOCUMENT)
    (tmp_path / "checkpoint.pt").touch()
    with pytest.raises(ConfigError, match=r"samples was .* and is \[\]"):
        write_config(tmp_path, {**DOCUMENT, "samples": []})


def test_a_folder_without_a_training_is_told(tmp_path):
    """With what would be right."""
    with pytest.raises(MissingDataError, match=r"config\.json: not there; expected what vedette models train"):
        read_config(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "{bad",
        "[]",
        '{"config": 1}',
        "",
        json.dumps({**DOCUMENT, "config": {}}),
        json.dumps({**DOCUMENT, "samples": [1]}),
        json.dumps({**DOCUMENT, "samples": [{**SAMPLES, "recipe": None}]}),
        json.dumps({**DOCUMENT, "held_out": "x"}),
        json.dumps({**DOCUMENT, "held_out": {}}),
        json.dumps({**DOCUMENT, "start": {}}),
        json.dumps({**DOCUMENT, "start": {**START, "training": {}}}),
        json.dumps({**DOCUMENT, "start": {**START, "training": {**DOCUMENT, "samples": [1]}}}),
        *(json.dumps({key: value for key, value in DOCUMENT.items() if key != missing}) for missing in DOCUMENT),
    ],
)
def test_a_configuration_that_is_none_is_told(tmp_path, text):
    """As where a disk was full."""
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(FileFormatError, match=r"config\.json: .*expected what vedette models train writes"):
        read_config(tmp_path)
