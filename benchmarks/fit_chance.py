"""The weights of `vedette.edge.tracking.chance`, fitted to boxes that were shown, and to whether they were right.

    python benchmarks/fit_chance.py kitti-tracking:{town,junction,motorway,car-park}-11:0000 \
        --real kitti-tracking:build/kitti:0000 --real kitti-tracking:build/kitti:0001:0-24 \
        --test kitti-tracking:town-12:0000 --test kitti-tracking:junction-12:0000

Replays `moby`, `moby-interval` and `moby-device` on the simulated clock and takes every vehicle's box that they show
and that F1 has in question: within 50 m, at least 25 px tall, not more than half of its image box in a ``DontCare``
region. It is right where its 3D IoU with a label that counts is above 0.5; one that has that with labels alone that do
not count is left out. Prints intercept and weights fitted to the first sources, and on those of `--test` how often
boxes were right of which the fit says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final

import numpy as np
import typer
from scipy.optimize import minimize

from vedette.config import Settings
from vedette.config_loader import load_settings
from vedette.datasets.kitti.convert import camera_objects_from_detections
from vedette.datasets.recording import Recording
from vedette.datasets.source_spec import open_recording
from vedette.detections import Detections3D
from vedette.edge.agent import Agent, FrameResult, MergeResult
from vedette.edge.offload.link import Answer, Loss
from vedette.edge.recording import NullRecorder
from vedette.edge.tracking.chance import evidence
from vedette.evaluation.f1 import counting_labels, detections_in_question
from vedette.evaluation.objects import CameraObjects, ScoredFrame
from vedette.evaluation.table import Metric, Table
from vedette.evaluation.targets import VEHICLE
from vedette.frames import Frame, FrameItem
from vedette.geometry import NDArrayFloat, PinholeCamera
from vedette.publication import Publication
from vedette.replay.in_memory import InMemoryRecording
from vedette.replay.models import simulated_models
from vedette.replay.network import NO_NETWORK, parse_network
from vedette.replay.policies import parse_policies
from vedette.replay.profile import load_profile
from vedette.replay.simulate import Simulation
from vedette.replay.stopwatch import Stopwatch

POLICIES: Final = ("moby", "moby-interval", "moby-device")
MIN_OVERLAP: Final = 0.5
_RIDGE: Final = 1.0
_REAL_WEIGHT: Final = 3


@dataclass
class Samples:
    """Boxes that were shown.

    Args:
        told: what the evidence says of each, by name.
        right: whether it was right.
    """

    told: list[dict[str, float]] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)

    def add(self, others: Samples) -> None:
        """Take in boxes that were shown elsewhere."""
        self.told += others.told
        self.right += others.right

    @property
    def names(self) -> list[str]:
        """Of what the evidence says."""
        return list(self.told[0])

    @property
    def arrays(self) -> tuple[NDArrayFloat, NDArrayFloat]:
        """``(N,1+K)`` a one and the evidence, and ``(N,)`` whether right, 0 or 1."""
        told = np.array([list(told.values()) for told in self.told])
        return np.hstack([np.ones((len(told), 1)), told]), np.array(self.right, np.float64)


class WatchingRecorder(NullRecorder):
    """Puts a watcher around the agent of a run.

    Args:
        recording: has the labels.
        samples: gets the boxes.
    """

    def __init__(self, recording: Recording, samples: Samples) -> None:
        self._recording = recording
        self._samples = samples

    def agent(self, agent: Agent) -> Agent:
        """The agent, watched."""
        return WatchedAgent(agent, self._recording, self._samples)


class WatchedAgent:
    """Notes of every frame what the evidence says of its boxes, and whether they were right."""

    def __init__(self, agent: Agent, recording: Recording, samples: Samples) -> None:
        self._agent = agent
        self._recording = recording
        self._samples = samples

    def process_frame(self, frame: Frame) -> FrameResult:
        """Pass on; note."""
        result = self._agent.process_frame(frame)
        labels = self._recording.labels(frame.index)
        if labels is not None and result.publication is not None:
            self._note(frame, result, result.publication.detections, labels)
        return result

    def skip_frame(self, item: FrameItem) -> Publication:
        """Pass on."""
        return self._agent.skip_frame(item)

    def merge_answer(self, answer: Answer) -> MergeResult:
        """Pass on."""
        return self._agent.merge_answer(answer)

    def give_up(self, loss: Loss) -> Publication | None:
        """Pass on."""
        return self._agent.give_up(loss)

    def _note(self, frame: Frame, result: FrameResult, shown: Detections3D, labels: CameraObjects) -> None:
        for row, right in verdicts(shown, labels, frame.camera):
            range_m = float(np.hypot(*shown.boxes_velo[row, :2]))
            track = result.tracks.tracks[row]
            self._samples.told.append(evidence(track, frame.stamp_ns, range_m, result.tracks.answered_classes))
            self._samples.right.append(right)


def verdicts(shown: Detections3D, labels: CameraObjects, camera: PinholeCamera) -> Iterator[tuple[int, bool]]:
    """The vehicles' boxes that are in question, and whether they are right.

    Args:
        shown: boxes in the velo frame.
        labels: of the frame.
        camera: of the frame.

    Yields:
        Row of the box, and whether it overlaps enough with a label that counts; boxes that overlap so with others
        alone are left out.
    """
    seen = camera_objects_from_detections(shown, camera, np.arange(len(shown)))
    table = Table.from_frames([ScoredFrame(labels, seen)])
    on_it = table.overlaps[Metric.BOX] > MIN_OVERLAP
    on_vehicle = on_it & table.labels.is_any(VEHICLE.types | VEHICLE.neutral_types)[table.pair_label]
    on_counting = on_it & counting_labels(table.labels, VEHICLE)[table.pair_label]
    right, neutral = set(table.pair_detection[on_counting].tolist()), set(table.pair_detection[on_vehicle].tolist())
    in_question = detections_in_question(table) & table.detections.is_any(VEHICLE.types)
    for detection in np.flatnonzero(in_question).tolist():
        if detection in right or detection not in neutral:
            yield int(table.detections.track_ids[detection]), detection in right


def collect(sources: Sequence[str], settings: Settings) -> Samples:
    """Replay the sources.

    Args:
        sources: as `vedette replay` takes them.
        settings: of agent and models.
    """
    network, profile = parse_network(NO_NETWORK), load_profile(Path("x86-2core"))
    policies = parse_policies(POLICIES)
    samples = Samples()
    for source in sources:
        models = simulated_models(policies, settings, Stopwatch())
        looks = (models.detector2d, models.on_device, models.usual, models.in_cloud)
        with closing(open_recording(source)) as opened:
            recording = InMemoryRecording(opened)
        simulation = Simulation(recording, settings.edge, network, profile, *looks)
        start_ns = next(iter(recording)).stamp_ns
        for policy in policies:
            simulation.run(policy, start_ns, Stopwatch(), lambda: None, WatchingRecorder(recording, samples))
    return samples


def fit(told: NDArrayFloat, right: NDArrayFloat) -> NDArrayFloat:
    """``(1+K,)`` weights of the likeliest logistic regression, with a weak ridge on all but the first, the constant."""
    shrunk = np.arange(told.shape[1]) > 0

    def loss(weights: NDArrayFloat) -> tuple[float, NDArrayFloat]:
        odds = told @ weights
        surprise = np.logaddexp(0.0, odds) - right * odds
        ridge = _RIDGE * shrunk * weights
        return float(surprise.sum() + ridge @ weights / 2), told.T @ (_chance(odds) - right) + ridge

    weights: NDArrayFloat = minimize(loss, np.zeros(told.shape[1]), jac=True, method="BFGS").x
    return weights


def reliability(chance: NDArrayFloat, right: NDArrayFloat) -> list[tuple[int, float, float]]:
    """Number, mean chance and share that was right, of the boxes in each fifth of the scale that has any."""
    fifth = np.minimum((chance * 5).astype(np.int64), 4)
    rows = [(chance[fifth == part], right[fifth == part]) for part in range(5)]
    return [(len(said), float(said.mean()), float(was.mean())) for said, was in rows if len(said)]


def _chance(odds: NDArrayFloat) -> NDArrayFloat:
    chance: NDArrayFloat = 1 / (1 + np.exp(-odds))
    return chance


def main(
    sources: Annotated[list[str], typer.Argument(help="To fit to; as vedette replay takes them.")],
    *,
    test: Annotated[list[str], typer.Option(help="To try the fit on; may be repeated.")],
    real: Annotated[list[str] | None, typer.Option(help="Real streets to fit to, each box counted thrice.")] = None,
    detector2d: Annotated[str, typer.Option(help="2D detector.")] = "camera2d-world",
    real_detector2d: Annotated[str, typer.Option(help="2D detector on real streets.")] = "nanodet-plus",
    detector3d: Annotated[str, typer.Option(help="The device's 3D detector.")] = "pillars-nano-synth",
) -> None:
    """Fit, and print weights and reliability."""
    settings = load_settings(None, {"edge.detector2d.model": detector2d, "edge.detector3d": detector3d})
    real_settings = load_settings(None, {"edge.detector2d.model": real_detector2d, "edge.detector3d": detector3d})
    samples = collect(sources, settings)
    if real:
        once = collect(real, real_settings)
        for _ in range(_REAL_WEIGHT):
            samples.add(once)
    told, right = samples.arrays
    weights = fit(told, right)
    print(f"{len(right)} boxes, {100 * right.mean():.1f} % right")
    print(f"intercept {weights[0]:.2f}")
    for name, weight in zip(samples.names, weights[1:], strict=True):
        print(f'    "{name}": {weight:.2f},')
    told, right = collect(test, settings).arrays
    for count, said, was in reliability(_chance(told @ weights), right):
        print(f"{count:6d} boxes: said {100 * said:3.0f} %, right {100 * was:3.0f} %")


if __name__ == "__main__":
    typer.run(main)
