"""The MCAP files of a replay: one for each policy, in one folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from vedette.edge.recording import NullRecorder, Recorder, RunFacts, WritingRecorder
from vedette.telemetry.record.writer import RecordWriter


@contextmanager
def recorder_in(folder: Path | None, facts: RunFacts) -> Iterator[Recorder]:
    """The recorder of one policy's run, for as long as that goes.

    Args:
        folder: is there already; None records nothing.
        facts: of the run; its policy names the file.

    Raises:
        RecordWriteError: the file cannot be written.
    """
    if folder is None:
        yield NullRecorder()
        return
    with closing(RecordWriter(folder / record_name(facts.policy))) as writer:
        yield WritingRecorder(writer, facts)


def record_name(policy: str) -> str:
    """Name of the file of a policy, with nothing in it that a file system or a shell takes for its own.

    Args:
        policy: for example ``edge-only:point-gnn-car``.
    """
    return re.sub(r"[^\w.-]+", "-", policy, flags=re.ASCII).lstrip(".-") + ".mcap"
