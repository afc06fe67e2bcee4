"""`vedette replay mcap:FILE`: whether a recorded run's policy decides again as it did."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

if TYPE_CHECKING:
    from vedette.replay.decisions_again import Comparison

RECORD_PREFIX: Final = "mcap:"
"""How the source of such a replay begins."""


def replay_decisions(source: str, json_file: Path | None, *, alone: bool) -> None:
    """Print how many decisions agree, and the first that does not.

    Args:
        source: ``mcap:FILE``.
        json_file: takes the result as JSON; None where none is wanted.
        alone: whether no other option is given.

    Raises:
        ConfigError: one is.
        RecordError: the file is no record, or one that cannot be used.
        Exit: with status 1, a decision came out otherwise.
    """
    from vedette.cli.output import prepare_result, text_console, write_result
    from vedette.errors import ConfigError
    from vedette.replay.decisions_again import decide_again

    if not alone:
        raise ConfigError(f"{source} replays the decisions of a record with its own settings; expected only --json")
    prepare_result(json_file)
    comparison = decide_again(Path(source.removeprefix(RECORD_PREFIX)))
    console = text_console(stderr=str(json_file) == "-")
    for line in _lines(comparison):
        console.print(line, soft_wrap=True, highlight=False)
    if json_file is not None:
        write_result(_document(source, comparison), json_file)
    if comparison.first_difference is not None:
        raise typer.Exit(1)


def _lines(comparison: Comparison) -> list[str]:
    header = comparison.header
    run = f"{header.policy} on {header.source}, {header.command} of vedette {header.program_version}"
    lines = [f"{run}: {comparison.agreeing} of {comparison.decisions} decisions agree"]
    if comparison.first_difference is not None:
        lines.append(f"first difference: {comparison.first_difference}")
    if not comparison.complete:
        lines.append("the record breaks off: its run was killed, or goes on; what was decided later is not compared")
    if comparison.missing:
        lines.append(f"{comparison.missing} entries are missing from the record; decisions after them may differ")
    return lines


def _document(source: str, comparison: Comparison) -> dict[str, Any]:
    from vedette.cli.output import result_document

    first = comparison.first_difference
    header = comparison.header
    run = {
        "policy": header.policy,
        "decisions": comparison.decisions,
        "agreeing": comparison.agreeing,
        "first_difference": None if first is None else str(first),
        "complete": comparison.complete,
        "missing_entries": comparison.missing,
    }
    return result_document("replay", {"source": source, "recorded_source": header.source}, [run])
