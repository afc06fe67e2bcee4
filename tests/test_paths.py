"""Paths as users give them."""

from __future__ import annotations

from pathlib import Path

import pytest

from vedette.errors import ConfigError
from vedette.paths import path_from_user


def test_what_need_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file, nothing, something below a file, and the home folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "file").touch()
    for text in (tmp_path / "file", tmp_path / "none", tmp_path / "file" / "below"):
        assert path_from_user(text) == text
        assert path_from_user(str(text)) == text
    assert path_from_user("~/none") == tmp_path / "none"


@pytest.mark.parametrize(
    ("text", "message"),
    [("~nobody-of-this-name/x", "home directory"), ("x" * 5000, "too long"), ("a\0b", "null byte")],
)
def test_what_no_system_has(text: str, message: str) -> None:
    """One error, which quotes no more than the beginning."""
    with pytest.raises(ConfigError, match=message) as caught:
        path_from_user(text)
    assert len(str(caught.value)) < 400
