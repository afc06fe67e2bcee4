"""The chance that a shown box is right, fitted to the signs that its track gives (`vedette.edge.offload.drift`).

    python benchmarks/fit_drift.py kitti-tracking:{town,junction,motorway,car-park}-11:0000 \
        --test kitti-tracking:town-12:0000 --test kitti-tracking:junction-12:0000

Replays `moby` and `moby-interval` on the simulated clock and takes every vehicle's box that they show within 50 m in
the camera's view, right where its 3D IoU with a labelled vehicle is above 0.5. Prints the weights fitted to the first
sources, and on those of `--test` how often boxes were right of which the fit says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final

import numpy as np
import typer
from scipy.optimize import minimize

from vedette.classes import VEHICLES
from vedette.config import Settings
from vedette.config_loader import load_settings
from vedette.datasets.kitti.convert import detections_from_camera_objects
from vedette.datasets.recording import Recording
from vedette.datasets.source_spec import open_recording
from vedette.detections import Detections3D
from vedette.edge.agent import Agent, FrameResult, MergeResult
from vedette.edge.offload.drift import RANGE_M, WEIGHTS, Signs
from vedette.edge.offload.link import Answer, Loss
from vedette.edge.recording import NullRecorder
from vedette.edge.tracking.association import projected_px
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.errors import MissingDataError
from vedette.frames import Frame, FrameItem
from vedette.geometry import NDArrayFloat
from vedette.geometry.iou import iou_3d
from vedette.models.registry import ModelRegistry
from vedette.publication import Publication
from vedette.replay.memo import RememberingDetector, RememberingDetector2D
from vedette.replay.network import parse_network
from vedette.replay.policies import parse_policies
from vedette.replay.profile import load_profile
from vedette.replay.simulate import Simulation
from vedette.replay.stopwatch import Stopwatch

POLICIES: Final = ("moby", "moby-interval")
MIN_OVERLAP: Final = 0.5
_RIDGE: Final = 1.0
_VEHICLE_IDS: Final = sorted(int(member) for member in VEHICLES)


@dataclass
class Samples:
    """Boxes that were shown.

    Args:
        signs: ``K`` numbers of each.
        right: whether it was right.
    """

    signs: list[tuple[float, ...]] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)

    @property
    def arrays(self) -> tuple[NDArrayFloat, NDArrayFloat]:
        """``(N,K)`` signs and ``(N,)`` whether right, 0 or 1."""
        return np.array(self.signs).reshape(-1, len(WEIGHTS)), np.array(self.right, np.float64)


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
    """Notes of every frame what the tracks say of its boxes, and whether they were right."""

    def __init__(self, agent: Agent, recording: Recording, samples: Samples) -> None:
        self._agent = agent
        self._recording = recording
        self._samples = samples

    def process_frame(self, frame: Frame) -> FrameResult:
        """Pass on; note.

        Raises:
            MissingDataError: the recording has no odometry, without which the tracks' frame is not known here.
        """
        result = self._agent.process_frame(frame)
        labels = self._recording.labels(frame.index)
        if labels is None or result.publication is None or not result.tracks:
            return result
        if frame.world_SE3_ego is None:
            raise MissingDataError(f"{self._recording.name}: frame {frame.index} has no pose; expected odometry")
        truth = _vehicles(detections_from_camera_objects(labels, frame.camera))
        self._note(result, truth, Viewpoint(frame.stamp_ns, frame.world_SE3_ego, frame.camera), result.publication)
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

    def _note(self, result: FrameResult, truth: Detections3D, viewpoint: Viewpoint, publication: Publication) -> None:
        shown = publication.detections
        overlap = iou_3d(shown.boxes_velo, truth.boxes_velo).max(axis=1, initial=0.0)
        boxes_px = projected_px(result.tracks, viewpoint)
        in_view = viewpoint.camera.project_boxes(shown.boxes_velo)[2]
        for row, track in enumerate(result.tracks):
            range_m = math.hypot(*shown.boxes_velo[row, :2].tolist())
            if in_view[row] and range_m < RANGE_M and int(shown.class_ids[row]) in _VEHICLE_IDS:
                signs = Signs.of(track, boxes_px[row], range_m, viewpoint.stamp_ns)
                self._samples.signs.append(signs.values)
                self._samples.right.append(bool(overlap[row] > MIN_OVERLAP))


def _vehicles(detections: Detections3D) -> Detections3D:
    return detections.select(np.isin(detections.class_ids, _VEHICLE_IDS))


def collect(sources: Sequence[str], settings: Settings) -> Samples:
    """Replay the sources.

    Args:
        sources: as `vedette replay` takes them.
        settings: of agent and models.
    """
    registry = ModelRegistry(settings.models.folder, settings.models.providers, settings.models.threads)
    detector2d = registry.load_detector2d(
        settings.edge.detector2d.model, settings.edge.detector2d.score_threshold, None
    )
    cloud = registry.load_detector3d(settings.cloud.detector3d)
    network, profile = parse_network("none"), load_profile(Path("x86-2core"))
    samples = Samples()
    for source in sources:
        with closing(open_recording(source)) as recording:
            seeing, in_cloud = RememberingDetector2D(detector2d), RememberingDetector(cloud)
            simulation = Simulation(recording, settings.edge, network, profile, seeing, {}, "", in_cloud)
            start_ns = next(iter(recording)).stamp_ns
            for policy in parse_policies(POLICIES):
                watcher = WatchingRecorder(recording, samples)
                simulation.run(policy, start_ns, Stopwatch(), lambda: None, watcher)
    return samples


def fit(signs: NDArrayFloat, right: NDArrayFloat) -> NDArrayFloat:
    """``(K,)`` weights of the likeliest logistic regression, with a weak ridge on all but the constant."""
    shrunk = np.arange(signs.shape[1]) > 0

    def loss(weights: NDArrayFloat) -> tuple[float, NDArrayFloat]:
        evidence = signs @ weights
        surprise = np.logaddexp(0.0, evidence) - right * evidence
        ridge = _RIDGE * shrunk * weights
        return float(surprise.sum() + ridge @ weights / 2), signs.T @ (_chance(evidence) - right) + ridge

    weights: NDArrayFloat = minimize(loss, np.zeros(signs.shape[1]), jac=True, method="BFGS").x
    return weights


def reliability(chance: NDArrayFloat, right: NDArrayFloat) -> list[tuple[int, float, float]]:
    """Number, mean chance and share that was right, of the boxes in each fifth of the scale that has any."""
    fifth = np.minimum((chance * 5).astype(np.int64), 4)
    rows = [(chance[fifth == part], right[fifth == part]) for part in range(5)]
    return [(len(said), float(said.mean()), float(was.mean())) for said, was in rows if len(said)]


def _chance(evidence: NDArrayFloat) -> NDArrayFloat:
    chance: NDArrayFloat = 1 / (1 + np.exp(-evidence))
    return chance


def main(
    sources: Annotated[list[str], typer.Argument(help="To fit to; as vedette replay takes them.")],
    *,
    test: Annotated[list[str], typer.Option(help="To try the fit on; may be repeated.")],
    detector2d: Annotated[str, typer.Option(help="2D detector.")] = "camera2d-world",
) -> None:
    """Fit, and print weights and reliability."""
    settings = load_settings(None, {"edge.detector2d.model": detector2d})
    signs, right = collect(sources, settings).arrays
    weights = fit(signs, right)
    print(f"{len(right)} boxes, {100 * right.mean():.1f} % right")
    for name, weight in zip(WEIGHTS, weights, strict=True):
        print(f'    "{name}": {weight:.2f},')
    signs, right = collect(test, settings).arrays
    for count, said, was in reliability(_chance(signs @ weights), right):
        print(f"{count:6d} boxes: said {100 * said:3.0f} %, right {100 * was:3.0f} %")


if __name__ == "__main__":
    typer.run(main)
