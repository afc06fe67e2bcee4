"""Runs of `bench_policies` pooled: of one policy over one link on one device profile, a recording each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from policy_runs import ANY

from vedette.evaluation.block_bootstrap import draw_blocks, f1_of, middle, resampled_f1
from vedette.geometry import NDArrayInt

Run = Mapping[str, Any]


@dataclass(frozen=True)
class Figure:
    """An F1, or a difference of two, with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.1f} [{self.low:.1f}, {self.high:.1f}]"


@dataclass(frozen=True)
class Pool:
    """Runs of one policy, by source."""

    runs: Mapping[str, Run]

    def of(self, sources: Iterable[str]) -> Pool:
        """The runs over some of the sources."""
        return Pool({source: self.runs[source] for source in sources})

    @cached_property
    def scenarios(self) -> dict[str, Pool]:
        """The runs of each scenario, which are the groups that blocks are drawn within."""
        groups: dict[str, list[str]] = {}
        for source in sorted(self.runs):
            groups.setdefault(scenario_of(source), []).append(source)
        return {name: self.of(groups[name]) for name in sorted(groups)}

    def blocks(self, key: str) -> dict[str, NDArrayInt]:
        """By scenario ``(B,3) int64`` counts of the blocks of all its recordings."""
        return {
            name: np.concatenate([np.array(pool.runs[source][key], np.int64) for source in pool.runs])
            for name, pool in self.scenarios.items()
        }

    def f1(self, key: str) -> float:
        """F1 of all counts together, 0 to 100."""
        return float(f1_of(np.concatenate(list(self.blocks(key).values())).sum(axis=0)))

    def figure(self, key: str) -> Figure:
        """F1 with its interval."""
        return Figure(self.f1(key), *middle(self._resampled(key)))

    def above(self, other: Pool, key: str) -> Figure:
        """How much the F1 is above another's over the recordings that both have, blocks drawn in pairs."""
        both = sorted(self.runs.keys() & other.runs.keys())
        ours, theirs = self.of(both), other.of(both)
        return Figure(ours.f1(key) - theirs.f1(key), *middle(ours._resampled(key) - theirs._resampled(key)))

    def mean(self, key: str) -> float | None:
        """A figure averaged over the recordings that define it."""
        values = [value for value in (_value(run, key) for run in self.runs.values()) if value is not None]
        return sum(values) / len(values) if values else None

    def per_frame(self, key: str) -> float:
        """A count of all runs over their frames."""
        count, frames = (sum(run[name] for run in self.runs.values()) for name in (key, "frames"))
        return float(count / frames)

    def _resampled(self, key: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        blocks = self.blocks(key)
        return resampled_f1(blocks, draw_blocks({name: len(counts) for name, counts in blocks.items()}))


class Results:
    """All runs of some folders.

    Args:
        runs: as `bench_policies` wrote them; of two of the same name the last counts.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        self._pools: dict[tuple[str, str, str], dict[str, Run]] = {}
        for run in runs:
            self._pools.setdefault((run["policy"], run["network"], run["profile"]), {})[run["source"]] = run
        self.policies: Final = list(dict.fromkeys(policy for policy, _, _ in self._pools))
        self.networks: Final = list(dict.fromkeys(network for _, network, _ in self._pools if network != ANY))
        self.profiles: Final = list(dict.fromkeys(profile for _, _, profile in self._pools if profile != ANY))
        self.sources: Final = sorted({run["source"] for run in runs})
        self.scenarios: Final = sorted({scenario_of(source) for source in self.sources})

    def pool(self, policy: str, network: str, profile: str) -> Pool | None:
        """The runs of a policy; of those that need no link, whatever the link."""
        for name in ((policy, network, profile), (policy, ANY, profile), (policy, ANY, ANY)):
            if name in self._pools:
                return Pool(self._pools[name])
        return None


def read_results(folders: Iterable[Path]) -> Results:
    """Read all JSON files of some folders.

    Raises:
        SystemExit: there are none.
    """
    paths = [path for folder in folders for path in sorted(folder.glob("*.json"))]
    if not paths:
        raise SystemExit("no JSON files in these folders; expected those of bench_policies.py")
    return Results([run for path in paths for run in json.loads(path.read_text(encoding="utf-8"))["runs"]])


def scenario_of(source: str) -> str:
    """What a recording shows: the name of its folder or world, without the number at the end.

    Args:
        source: as `vedette replay` takes it.
    """
    return re.sub(r"-\d+$", "", Path(source.split(":")[1]).name)


def _value(run: Run, key: str) -> float | None:
    """A figure of a run; ``latency_ms.p50`` is within another."""
    value: Any = run
    for part in [key] if key in run else key.split("."):
        value = value[part]
    return None if value is None else float(value)
