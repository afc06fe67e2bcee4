"""Policies side by side over many recordings: figures pooled over all of them, and of each.

    python benchmarks/bench_policies.py kitti-tracking:town-11:0000 synth:junction:11:0-149 \
        --policy constant-velocity --policy moby --network none --detector2d camera2d-world --json moby.json

Every recording is replayed on the simulated clock by `vedette.replay`, so that each run is one that `vedette replay`
gives too. F1 is pooled by its counts; AP is averaged over the recordings, for a precision curve over streets of
different kinds says little.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from vedette.cli.output import result_document
from vedette.config_loader import load_settings
from vedette.datasets.source_spec import open_recording
from vedette.replay.request import replay_request
from vedette.replay.session import run_replay

F1_KEYS: Final = ("vehicle.3d.0.5.r50", "vehicle.bev.0.7.r50")
LEFT_OUT: Final = ("pedestrian", "cyclist", "r11", "aos")
"""Words in the keys of figures that would make the file three times as large, and that nobody pools."""
AP_KEYS: Final = ("ap.r40.car.3d.0.5.moderate", "streaming_ap.r40.car.3d.0.5.moderate")

Run = Mapping[str, Any]


class Silent:
    """Shows no progress."""

    def start(self, what: str, frame_count: int | None) -> Callable[[], None]:  # noqa: ARG002
        """A pass begins."""
        return lambda: None


def main(
    sources: Annotated[list[str], typer.Argument(help="As vedette replay takes them.")],
    *,
    policy: Annotated[list[str], typer.Option(help="May be repeated.")],
    network: Annotated[str, typer.Option(help="As vedette replay takes it.")] = "none",
    profile: Annotated[str, typer.Option(help="Device profile.")] = "x86-2core",
    detector2d: Annotated[str | None, typer.Option(help="2D detector.")] = None,
    detector3d: Annotated[str | None, typer.Option(help="The cloud's 3D detector.")] = None,
    edge_detector3d: Annotated[str | None, typer.Option(help="The device's 3D detector.")] = None,
    max_share: Annotated[float | None, typer.Option(help="Of the frames that moby may send.")] = None,
    interval: Annotated[int | None, typer.Option(help="Of the policies that send at intervals.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures there.")] = None,
) -> None:
    """Replay all sources under all policies and pool the figures."""
    overrides = {
        "edge.detector2d.model": detector2d,
        "cloud.detector3d": detector3d,
        "edge.detector3d": edge_detector3d,
        "edge.offload.max_share": max_share,
        "edge.offload.interval": interval,
    }
    settings = load_settings(None, overrides)
    runs: dict[str, list[Run]] = {}
    for source in sources:
        request = replay_request(source, policy, "simulated", network, Path(profile))
        with closing(open_recording(source)) as recording:
            for run in run_replay(request, settings, recording, Silent()).runs:
                kept = {key: value for key, value in run.items() if not any(word in key for word in LEFT_OUT)}
                runs.setdefault(str(run["policy"]), []).append({"source": source, **kept})
        print(f"{source}: {len(policy)} policies", flush=True)
    for name, own in runs.items():
        print(_line(name, own))
    if json_file is not None:
        config = {
            "sources": sources,
            "network": network,
            "profile": profile,
            "settings": settings.model_dump(mode="json"),
        }
        document = result_document("bench-policies", config, [run for own in runs.values() for run in own])
        json_file.write_text(json.dumps(document) + "\n", encoding="utf-8")


def _line(name: str, runs: Sequence[Run]) -> str:
    f1 = " / ".join(f"{pooled_f1(runs, key):5.1f}" for key in F1_KEYS)
    streaming = pooled_f1(runs, F1_KEYS[0], "streaming_")
    ap = " / ".join(f"{_mean(runs, key):5.1f}" for key in AP_KEYS)
    sent = 100 * sum(run["offloaded_frames"] for run in runs) / sum(run["frames"] for run in runs)
    each = " ".join("/".join(f"{pooled_f1([run], key):.0f}" for key in F1_KEYS) for run in runs)
    return f"{name:24s} F1 {f1}, streaming {streaming:5.1f}; AP, streaming {ap}; sent {sent:4.1f} %; each {each}"


def pooled_f1(runs: Sequence[Run], key: str, prefix: str = "") -> float:
    """F1 of all runs' counts together, 0 to 100."""
    tp, fp, fn = (sum(run.get(f"{prefix}{count}.{key}") or 0 for run in runs) for count in ("tp", "fp", "fn"))
    return 200.0 * tp / max(2 * tp + fp + fn, 1)


def _mean(runs: Sequence[Run], key: str) -> float:
    values = [run[key] for run in runs if run.get(key) is not None]
    return sum(values) / max(len(values), 1)


if __name__ == "__main__":
    typer.run(main)
