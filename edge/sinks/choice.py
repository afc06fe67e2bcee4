"""Picking a sink by its name."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from vedette.edge.sinks.jsonl import JsonlSink
from vedette.errors import ConfigError
from vedette.publication import NullSink, Sink

SINK_NAMES: Final = ("jsonl", "null")
"""What `open_sink` takes."""


def open_sink(name: str, out: Path | None) -> Sink:
    """The sink of a name.

    Args:
        name: ``jsonl`` (a line of JSON for each publication) or ``null`` (nowhere).
        out: file to write, replaced where it exists; None or ``-`` is standard output.

    Raises:
        ConfigError: there is none of that name, it takes no file, or the file cannot be written.
    """
    if name not in SINK_NAMES:
        raise ConfigError(f"unknown sink {name!r}; known are {', '.join(SINK_NAMES)}")
    if name == "null":
        if out is not None:
            raise ConfigError(f"the sink null writes nothing; {out} is given as its file")
        return NullSink()
    if out is None or str(out) == "-":
        # a stream of its own on the same file: nothing is left in the buffer of sys.stdout, to fail at exit, when the
        # reader has gone
        return JsonlSink(os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8"), "standard output")
    try:
        return JsonlSink(out.open("w", encoding="utf-8"), str(out))
    except OSError as error:
        raise ConfigError(f"cannot write boxes to {out}: {error.strerror}") from error
