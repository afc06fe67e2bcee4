"""JSON at the border: an object with what is needed comes in, everything else is an error with the file's name."""

from __future__ import annotations

from pathlib import Path

import pytest

from vedette.errors import FileFormatError, MissingDataError
from vedette.json_text import read_json_object

KEYS = {"name": str, "share": (int, float)}


def test_an_object_with_the_keys_is_read(tmp_path: Path) -> None:
    """Others may stand beside them."""
    path = tmp_path / "a.json"
    path.write_text('{"name": "x", "share": 0.5, "more": [1]}')
    assert read_json_object(path, KEYS, "a thing") == {"name": "x", "share": 0.5, "more": [1]}


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("", "no JSON"),
        ("{bad", "no JSON"),
        ("\udcff", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "list '\\[\\]'"),
        ("null", "NoneType 'None'"),
        ('{"share": 1}', "no key 'name'"),
        ('{"name": 3, "share": 1}', "name is '3'"),
        ('{"name": "x", "share": "1"}', "share is '1'"),
    ],
)
def test_everything_else_is_told_with_its_place(tmp_path: Path, text: str, met: str) -> None:
    """And with what would be right."""
    path = tmp_path / "a.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(FileFormatError, match=rf"a\.json: {met}.*; expected a thing"):
        read_json_object(path, KEYS, "a thing")


def test_a_file_that_is_not_there_or_is_a_folder(tmp_path: Path) -> None:
    """Nothing to read."""
    with pytest.raises(MissingDataError, match=r"a\.json: not there; expected a thing"):
        read_json_object(tmp_path / "a.json", KEYS, "a thing")
    with pytest.raises(MissingDataError, match=r"cannot be read \(Is a directory\); expected a thing"):
        read_json_object(tmp_path, KEYS, "a thing")
