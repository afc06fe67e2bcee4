"""The program as a user runs it."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import pytest

from vedette import __version__
from vedette.cli.main import main


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `vedette` as a process."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("VEDETTE_")}
    return subprocess.run(
        [sys.executable, "-c", "from vedette.cli import main; main()", *arguments],
        capture_output=True, text=True, timeout=60, env=clean | environment, check=False,
    )  # fmt: skip


def test_version() -> None:
    """The version is printed on standard output."""
    result = run("--version")
    assert (result.returncode, result.stdout.strip()) == (0, f"vedette {__version__}")


def test_config_show_tells_where_values_come_from() -> None:
    """An environment variable shows as such."""
    result = run("config", "show", VEDETTE_CLOUD__PORT="4711", COLUMNS="200")
    row = next(line for line in result.stdout.splitlines() if "cloud.port" in line)
    assert "4711" in row
    assert "environment" in row


def test_config_show_keeps_names_in_one_piece_on_a_narrow_screen() -> None:
    """So that they can be searched for."""
    assert "edge.live.pairing_tolerance_ms " in run("config", "show", COLUMNS="80").stdout


@pytest.mark.parametrize("arguments", [("--nonsense",), ("no-such-command",)])
def test_wrong_usage_exits_with_2(arguments: tuple[str, ...]) -> None:
    """And says how to get help."""
    result = run(*arguments)
    assert result.returncode == 2
    assert "help" in result.stderr.lower()


@pytest.mark.parametrize(
    ("error", "line"),
    [
        ((errno.EACCES, os.strerror(errno.EACCES), "data/velodyne"), "data/velodyne: Permission denied"),
        ((errno.ENOSPC, os.strerror(errno.ENOSPC), "out/x.json"), "out/x.json: No space left on device"),
        ((errno.ENOSPC, os.strerror(errno.ENOSPC)), "a file cannot be written: No space left on device"),
        ((errno.EDQUOT, os.strerror(errno.EDQUOT)), "a file cannot be written: Disk quota exceeded"),
        ((errno.EFBIG, os.strerror(errno.EFBIG)), "a file cannot be written: File too large"),
    ],
)
def test_what_the_system_refuses_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: tuple[int, str], line: str
) -> None:
    """A folder that may not be read, a full disk, whose errors name no file: the reason, no traceback."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(*error)

    monkeypatch.setattr(sys.modules["vedette.cli.main"], "app", refuse)
    with pytest.raises(SystemExit, match="2"):
        main()
    assert capsys.readouterr().err == f"vedette: {line}\n"


def test_other_errors_of_the_system_keep_their_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody could tell from one line where they come from."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    monkeypatch.setattr(sys.modules["vedette.cli.main"], "app", refuse)
    with pytest.raises(OSError, match="Bad file descriptor"):
        main()


def test_our_errors_are_one_line_without_a_traceback() -> None:
    """The user sees what was wrong, not where in our code."""
    result = run("config", "show", VEDETTE_NONSENSE="1")
    assert result.returncode == 2
    assert result.stderr.startswith("vedette: environment variable VEDETTE_NONSENSE")
    assert "Traceback" not in result.stderr
