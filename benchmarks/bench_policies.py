"""Policies side by side over many recordings, links and device profiles: one small JSON file a recording.

    python benchmarks/bench_policies.py kitti-tracking:town-11:0000 synth:junction:11:0-149 --json-folder runs \
        --policy constant-velocity --policy moby --network none --network constant:4mbps,delay=20ms \
        --detector2d camera2d-world
    python benchmarks/report_policies.py runs

Every recording is replayed on the simulated clock, each run as `vedette replay` makes it (module `policy_runs`). A
recording whose file is there, of the same settings, is left out: what was broken off can be taken up again, and several
of these may share the work, each with sources of its own.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from policy_runs import Matrix, SourceRuns

from vedette.cli.output import result_document
from vedette.config_loader import load_settings


def main(
    sources: Annotated[list[str], typer.Argument(help="As vedette replay takes them.")],
    *,
    json_folder: Annotated[Path, typer.Option(help="Gets a file for each source as soon as it is done.")],
    policy: Annotated[list[str], typer.Option(help="May be repeated.")],
    network: Annotated[list[str], typer.Option(help="As vedette replay takes it; likewise.")] = ["none"],  # noqa: B006
    profile: Annotated[list[str], typer.Option(help="Device profile; likewise.")] = ["x86-2core"],  # noqa: B006
    detector2d: Annotated[str | None, typer.Option(help="2D detector.")] = None,
    detector3d: Annotated[str | None, typer.Option(help="The cloud's 3D detector.")] = None,
    edge_detector3d: Annotated[str | None, typer.Option(help="The device's 3D detector.")] = None,
    detector_score: Annotated[float, typer.Option(help="At which the bare 3D detectors' boxes count in F1.")] = 0.5,
    max_share: Annotated[float | None, typer.Option(help="Of the frames that moby may send.")] = None,
    interval: Annotated[int | None, typer.Option(help="Of the policies that send at intervals.")] = None,
) -> None:
    """Replay all sources under all policies, over all links, on all profiles."""
    overrides = {
        "edge.detector2d.model": detector2d,
        "cloud.detector3d": detector3d,
        "edge.detector3d": edge_detector3d,
        "edge.offload.max_share": max_share,
        "edge.offload.interval": interval,
    }
    settings = load_settings(None, overrides)
    matrix = Matrix.of(policy, network, profile, detector_score)
    config = {
        "policies": policy,
        "networks": network,
        "profiles": profile,
        "detector_score": detector_score,
        "settings": settings.model_dump(mode="json"),
    }
    json_folder.mkdir(parents=True, exist_ok=True)
    for source in sources:
        path = json_folder / f"{re.sub('[^a-zA-Z0-9]+', '-', source)}.json"
        if _is_done(path, source, config):
            print(f"{source}: done before", flush=True)
            continue
        started_s, started_cpu_s = time.monotonic(), time.process_time()
        runs = list(SourceRuns(source, matrix, settings))
        _write(path, result_document("bench-policies", {"source": source, **config}, runs))
        spent_s, cpu_s = time.monotonic() - started_s, time.process_time() - started_cpu_s
        print(f"{source}: {len(runs)} runs in {spent_s:.0f} s, {cpu_s:.0f} s of them on the processor", flush=True)


def _is_done(path: Path, source: str, config: dict[str, Any]) -> bool:
    return path.is_file() and json.loads(path.read_text(encoding="utf-8"))["config"] == {"source": source, **config}


def _write(path: Path, document: dict[str, Any]) -> None:
    """All or nothing, for a file that is there says that the source is done."""
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(document) + "\n", encoding="utf-8")
    unfinished.replace(path)


if __name__ == "__main__":
    typer.run(main)
