"""The one JSON shape of every command's result."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vedette.errors import ConfigError

if TYPE_CHECKING:
    from rich.console import Console

RESULT_SCHEMA: Final = "vedette.result/1"


def text_console(*, stderr: bool = False) -> Console:
    """A console that shows texts as they are: brackets in a name are no markup, and words between colons no pictures.

    Args:
        stderr: print there instead of on standard output.
    """
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False)


def result_document(command: str, config: Mapping[str, Any], runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The document ``{schema, command, config, runs}``.

    Args:
        command: the command's name, for example ``replay``.
        config: settings and arguments that define the result.
        runs: one mapping of metric keys per run.
    """
    return {"schema": RESULT_SCHEMA, "command": command, "config": dict(config), "runs": [dict(run) for run in runs]}


def prepare_result(path: Path | None) -> None:
    """Find out before the work begins whether the result can be written after it.

    Args:
        path: as in `write_result`; None when no result is asked for. A file that is there keeps its content.

    Raises:
        ConfigError: it cannot.
    """
    if path is None or str(path) == "-":
        return
    existed = path.exists()
    try:
        with path.open("a", encoding="utf-8"):
            pass
        if not existed:
            path.unlink()
    except OSError as error:
        raise ConfigError(f"cannot write the result to {path}: {error.strerror}") from error


def write_result(document: Mapping[str, Any], path: Path) -> None:
    """Write a result document; ``-`` is standard output.

    Raises:
        ConfigError: the file cannot be written.
    """
    text = json.dumps(document, indent=2, allow_nan=False) + "\n"
    if str(path) == "-":
        sys.stdout.write(text)
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot write the result to {path}: {error.strerror}") from error
