"""What a card says of how its model was trained: the commands, from the first weights to the last, and the samples.

A training may begin with the weights of another (``--start``), and that one with those of a third. The configuration of
each holds those before it, so the last one tells the whole way.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from vedette.models.checkpoints import check_checkpoint
from vedette.models.training_config import CONFIG_FILE, read_config

Run = Mapping[str, Any]
"""A training's `config.json`."""


def described_start(checkpoint: Path | None, step_of: Callable[[Path], int]) -> dict[str, Any] | None:
    """For `config.json`: the weights that a training begins with, and how they were made.

    Args:
        checkpoint: of another training; None for weights drawn by the seed.
        step_of: reads from a checkpoint how many steps were taken.

    Raises:
        MissingDataError: it is not there.
        ConfigError: it is no checkpoint.
    """
    if checkpoint is None:
        return None
    check_checkpoint(checkpoint)
    known = (checkpoint.parent / CONFIG_FILE).exists()
    return {
        "sha256": hashlib.sha256(checkpoint.read_bytes()).hexdigest(),
        "step": step_of(checkpoint),
        "training": read_config(checkpoint.parent) if known else None,
    }


def stages(run: Run) -> list[Run]:
    """The trainings that led to a model, the first one first.

    Args:
        run: the last one.
    """
    start = run["start"]
    before = [] if start is None or start["training"] is None else stages(start["training"])
    return [*before, run]


def data_text(run: Run, describe: Callable[[Run], str]) -> str:
    """The samples of all stages, with names that the recipe uses; people read it wherever a model is named.

    Args:
        run: the last stage.
        describe: says of one set how many samples it has and how they were made.
    """
    return "; ".join(
        f"{name}: {entry['count']} {describe(entry)}"
        for name, entry in zip(_names(run).values(), _sets(run), strict=True)
    )


def recipe_text(run: Run, steps: int) -> str:
    """The commands of all stages, and the hashes of their samples and photographs.

    Args:
        run: the last stage.
        steps: that were taken in it.
    """
    names, photographs = _names(run), _photograph_names(run)
    parts: list[str] = []
    for stage in stages(run):
        command = (
            f"vedette models train {stage['family']} RUN{len(parts) + 1}{_options(stage, {**names, **photographs})}"
        )
        if stage["start"] is not None:
            where = f"RUN{len(parts)}/checkpoint.pt" if parts else "CHECKPOINT"
            command += f" --start {where} (SHA-256 {stage['start']['sha256']}{_taken(stage['start'])})"
        parts.append(f"{command}, torch {stage['torch']}")
    done = "" if steps == run["config"]["steps"] else f", exported after {steps} steps"
    hashes = [("shards", names), ("photographs", _photograph_names(run))]
    texts = [f"; SHA-256 over the {what}: {_hashes(of)}" for what, of in hashes if of]
    return f"{'; then '.join(parts)}{done}{''.join(texts)}"


def _taken(start: Run) -> str:
    """How many steps, where they are not all that its training was to take."""
    if start["training"] is not None and start["step"] == start["training"]["config"]["steps"]:
        return ""
    return f", after {start['step']} steps"


def photograph_sets(run: Run) -> list[Run]:
    """The photographs of all stages, each set once, in the order of their use.

    Args:
        run: the last stage.
    """
    entries = [stage.get("photographs") for stage in stages(run)]
    return list({entry["sha256"]: entry for entry in entries if entry is not None}.values())


def _options(stage: Run, names: Mapping[str, str]) -> str:
    samples = [("samples", names[one["sha256"]] + _weight(one)) for one in stage["samples"]]
    entry = stage.get("photographs")
    photographs = [] if entry is None else [("photographs", names[entry["sha256"]])]
    options: Sequence[tuple[str, Any]] = [*samples, *photographs, *stage["options"].items()]
    return "".join(f" --{name}" if value is True else f" --{name} {value}" for name, value in options)


def _weight(entry: Run) -> str:
    return f"={entry['weight']:g}" if "weight" in entry else ""


def _sets(run: Run) -> Iterator[Run]:
    """Each set once, in the order of their use."""
    seen = set()
    for stage in stages(run):
        for entry in stage["samples"]:
            if entry["sha256"] not in seen:
                seen.add(entry["sha256"])
                yield entry


def _names(run: Run) -> dict[str, str]:
    return {entry["sha256"]: f"SAMPLES{number}" for number, entry in enumerate(_sets(run), start=1)}


def _photograph_names(run: Run) -> dict[str, str]:
    return {entry["sha256"]: f"PHOTOGRAPHS{number}" for number, entry in enumerate(photograph_sets(run), start=1)}


def _hashes(names: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {sha256}" for sha256, name in names.items())
