"""Where results are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from vedette.cli.output import prepare_result, text_console
from vedette.errors import ConfigError


def test_a_place_that_cannot_be_written_is_found_before_the_work(tmp_path: Path) -> None:
    """A missing folder and a folder in the file's place."""
    for path in (tmp_path / "absent" / "x.json", tmp_path):
        with pytest.raises(ConfigError, match="cannot write the result to"):
            prepare_result(path)


def test_looking_changes_nothing(tmp_path: Path) -> None:
    """What is there keeps its content, and nothing new appears."""
    kept = tmp_path / "kept.json"
    kept.write_text("{}")
    for path in (kept, tmp_path / "new.json", Path("-"), None):
        prepare_result(path)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.json"]
    assert kept.read_text() == "{}"


def test_texts_are_shown_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    """A folder may be called like markup, or like a picture."""
    text_console().print("Saved to runs/[/b][red]a:car:b")
    assert capsys.readouterr().out.strip() == "Saved to runs/[/b][red]a:car:b"
