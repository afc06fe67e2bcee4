"""The tables of a report from the JSON files of `bench_policies`, as Markdown.

    python benchmarks/report_policies.py FOLDER... [--network none] [--profile x86-2core]

F1 is pooled by its counts, with 95 % intervals by blocks of 50 frames drawn within each scenario; AP, a curve's figure,
is averaged over the recordings, and so are the percentiles of latency.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer
from policy_pool import Pool, Results, read_results
from policy_runs import CLOUD_AT_ONCE, DEVICE_AT_ONCE

from vedette.replay.compared import AP_KEY, F1_KEYS, STREAMING

ONLINE: Final = tuple(f"blocks.{key}" for key in F1_KEYS)
STREAMING_F1: Final = f"{STREAMING}{ONLINE[0]}"
STREAMING_AP: Final = f"{STREAMING}{AP_KEY}"
AT_ONCE: Final = (CLOUD_AT_ONCE, DEVICE_AT_ONCE)
DIFFERENCES: Final = (
    (CLOUD_AT_ONCE, "moby"),
    ("moby", "constant-velocity"),
    ("moby", "constant-velocity-2d"),
    ("moby-device", "edge-only"),
)
NONE: Final = "-"


def main(
    folders: Annotated[list[Path], typer.Argument(help="With the files of bench_policies.")],
    *,
    network: Annotated[str, typer.Option(help="Link of the accuracy tables.")] = "none",
    profile: Annotated[str, typer.Option(help="Device profile of the accuracy tables.")] = "x86-2core",
) -> None:
    """Print all tables."""
    results = read_results(folders)
    print(f"{len(results.sources)} recordings.\n")
    print(f"**Accuracy**, link `{network}`, `{profile}`\n\n{accuracy_table(results, network, profile)}\n")
    print(f"**Differences**, likewise\n\n{difference_table(results, network, profile)}\n")
    for one in results.profiles:
        print(f"**Streaming AP / F1** on `{one}`\n\n{streaming_table(results, one)}\n")
        print(f"**Latency p50 / p95 / p99, ms (frames answered, %)** on `{one}`\n\n{latency_table(results, one)}\n")
        print(f"**Sent, kB a frame (frames, %)** on `{one}`\n\n{bytes_table(results, one)}\n")


def accuracy_table(results: Results, network: str, profile: str) -> str:
    """F1 with intervals, of each scenario, AP and what was sent."""
    rows, scenarios = [], results.scenarios
    for policy in results.policies:
        pool = results.pool(policy, network, profile)
        if pool is None:
            continue
        each = [
            " / ".join(f"{pool.scenarios[name].f1(key):.0f}" for key in ONLINE) if name in pool.scenarios else NONE
            for name in scenarios
        ]
        sent = NONE if policy in AT_ONCE else f"{100 * pool.per_frame('offloaded_frames'):.1f}"
        figures = [str(pool.figure(key)) for key in ONLINE]
        rows.append([f"`{policy}`{_shortfall(pool, results)}", *figures, *each, _number(pool.mean(AP_KEY)), sent])
    head = ["policy", "F1 3D 0.5", "F1 BEV 0.7", *scenarios, "AP R40 car 3D 0.5 moderate", "frames sent, %"]
    return _table(head, rows)


def difference_table(results: Results, network: str, profile: str) -> str:
    """Differences of F1 with paired intervals."""
    rows = []
    for better, worse in DIFFERENCES:
        pools = [results.pool(policy, network, profile) for policy in (better, worse)]
        if pools[0] is not None and pools[1] is not None:
            rows.append([f"{better} − {worse}", *(str(pools[0].above(pools[1], key)) for key in ONLINE)])
    return _table(["difference", "F1 3D 0.5", "F1 BEV 0.7"], rows)


def streaming_table(results: Results, profile: str) -> str:
    """Streaming AP and F1 by link, the best AP of each in bold."""
    best = {network: _best_streaming_ap(results, network, profile) for network in results.networks}

    def cell(pool: Pool, network: str) -> str:
        ap = pool.mean(STREAMING_AP)
        text = f"{_number(ap)} / {pool.f1(STREAMING_F1):.1f}"
        return f"**{text}**" if ap is not None and ap == best[network] else text

    return _by_link(results, profile, cell)


def latency_table(results: Results, profile: str) -> str:
    """Latency of the frames that got boxes from their own data, and how many did."""

    def cell(pool: Pool, network: str) -> str:  # noqa: ARG001
        spent = " / ".join(_number(pool.mean(f"latency_ms.p{share}"), 0) for share in (50, 95, 99))
        return f"{spent} ({100 * pool.per_frame('answered_frames'):.0f})"

    return _by_link(results, profile, cell)


def bytes_table(results: Results, profile: str) -> str:
    """Bytes to the cloud by link."""

    def cell(pool: Pool, network: str) -> str:  # noqa: ARG001
        return f"{pool.per_frame('bytes_up') / 1e3:.1f} ({100 * pool.per_frame('offloaded_frames'):.1f})"

    return _by_link(results, profile, cell)


def _best_streaming_ap(results: Results, network: str, profile: str) -> float | None:
    pools = [results.pool(policy, network, profile) for policy in _running(results)]
    values = [value for pool in pools if pool is not None if (value := pool.mean(STREAMING_AP)) is not None]
    return max(values, default=None)


def _by_link(results: Results, profile: str, cell: Callable[[Pool, str], str]) -> str:
    rows = []
    for policy in _running(results):
        pools = [(results.pool(policy, network, profile), network) for network in results.networks]
        if any(pool is not None for pool, _ in pools):
            cells = [
                NONE if pool is None else cell(pool, network) + _shortfall(pool, results) for pool, network in pools
            ]
            rows.append([f"`{policy}`", *cells])
    return _table(["policy", *results.networks], rows)


def _running(results: Results) -> list[str]:
    return [policy for policy in results.policies if policy not in AT_ONCE]


def _shortfall(pool: Pool, results: Results) -> str:
    """Said of figures over fewer recordings than there are: they are not to be compared with those over all."""
    here, there_are = len(pool.runs), len(results.sources)
    return "" if here == there_are else f" ({here} of {there_are} recordings)"


def _number(value: float | None, digits: int = 1) -> str:
    return NONE if value is None else f"{value:.{digits}f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows))


if __name__ == "__main__":
    typer.run(main)
