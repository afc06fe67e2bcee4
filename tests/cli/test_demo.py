"""The demo says plainly what it lacks."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from vedette.cli.demo import UNPACKER, WEIGHTS, missing_parts, unpack
from vedette.cli.main import app
from vedette.errors import MissingDataError


def place(folder: Path, *parts: Path, text: str = "") -> None:
    for part in parts:
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        (folder / part).write_text(text)


@pytest.mark.parametrize("present", [(), (UNPACKER,), (UNPACKER, WEIGHTS[0])])
def test_everything_missing_is_named(tmp_path: Path, present: tuple[Path, ...]) -> None:
    """And nothing that is there."""
    place(tmp_path, *present)
    result = CliRunner().invoke(app, ["demo", "--data", str(tmp_path)])
    assert result.exit_code == 0
    for part in (UNPACKER, *WEIGHTS):
        assert (str(tmp_path / part) in result.output) is (part not in present)
    assert "vedette models import" in result.output


def test_complete_data_lacks_nothing(tmp_path: Path) -> None:
    """All three parts make it complete."""
    place(tmp_path, UNPACKER, *WEIGHTS)
    assert missing_parts(tmp_path) == []


def test_failing_unpacker_is_reported_with_its_words(tmp_path: Path) -> None:
    """A broken download is not a traceback of ours."""
    place(tmp_path, UNPACKER, text="import sys; sys.exit('checksum mismatch: scan 3')")
    with pytest.raises(MissingDataError, match="checksum mismatch: scan 3"):
        unpack(tmp_path, tmp_path / "tree")
