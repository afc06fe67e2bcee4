"""The cloud as a second process of this machine, for as long as a replay needs it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Final

from vedette.config import Settings
from vedette.config_loader import settings_as_yaml
from vedette.errors import LinkUnavailableError

_ANNOUNCEMENT: Final = "listening on "
_START_TIMEOUT_S: Final = 180.0
_KILL_AFTER_S: Final = 10.0
_ERROR_LINES: Final = 4


@contextmanager
def embedded_cloud(settings: Settings) -> Iterator[str]:
    """Run a server on a free port of this machine, with the same settings as ours.

    Args:
        settings: of both halves.

    Yields:
        ``HOST:PORT``, once the server's model has answered.

    Raises:
        LinkUnavailableError: the server did not start; the message holds its own last words.
    """
    with TemporaryDirectory(prefix="vedette-cloud-") as name:
        folder = Path(name)
        config = folder / "config.yaml"
        config.write_text(settings_as_yaml(settings), encoding="utf-8")
        command = [sys.executable, "-m", "vedette.replay.cloud_child"]
        command += ["cloud", "serve", "--port", "0", "--host", "127.0.0.1", "--config", str(config)]
        with (folder / "log.txt").open("w+", encoding="utf-8") as log, _running(command, log) as process:
            yield _address(process, folder / "log.txt", _START_TIMEOUT_S)


@contextmanager
def _running(command: Sequence[str], log: IO[str]) -> Iterator[subprocess.Popen[str]]:
    """A child process; it is gone when the context ends, whatever happened."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.communicate(timeout=_KILL_AFTER_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def _address(process: subprocess.Popen[str], log: Path, timeout_s: float) -> str:
    """What the server announces on its standard output."""
    announced: list[str] = []
    reader = threading.Thread(target=_read_announcement, args=(process, announced), daemon=True)
    reader.start()
    reader.join(timeout_s)
    if announced:
        return announced[0]
    state = "did not answer in time" if process.poll() is None else f"ended with status {process.returncode}"
    words = " ".join(log.read_text(encoding="utf-8").splitlines()[-_ERROR_LINES:]).removeprefix("vedette: ")
    raise LinkUnavailableError(f"the embedded server {state}: {words or 'it said nothing'}")


def _read_announcement(process: subprocess.Popen[str], announced: list[str]) -> None:
    if process.stdout is None:
        return
    for line in process.stdout:
        if line.startswith(_ANNOUNCEMENT):
            announced.append(line.removeprefix(_ANNOUNCEMENT).strip())
            return
    process.wait()
