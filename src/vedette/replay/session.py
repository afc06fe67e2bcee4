"""A whole replay: every policy over the same recording, one after the other, then the evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from vedette.config import Settings
from vedette.datasets.recording import Recording
from vedette.edge.recording import Recorder, RunFacts
from vedette.models.cards import ModelCard
from vedette.models.registry import ModelRegistry
from vedette.models.store import ModelStore
from vedette.replay.embedded import embedded_cloud
from vedette.replay.evaluate import evaluate_run
from vedette.replay.models import edge_detector3d, load_detector2d, simulated_models
from vedette.replay.policies import PolicySpec
from vedette.replay.realtime import RealTime
from vedette.replay.record import RunRecord
from vedette.replay.record_folder import recorder_in
from vedette.replay.request import CloudKind, ReplayRequest
from vedette.replay.shaper import LinkShaper, shaped_link
from vedette.replay.simulate import Simulation
from vedette.replay.stopwatch import Stopwatch, WatchedDetector
from vedette.replay.truth import TrueFrame, read_truth


class Progress(Protocol):
    """Is told how far a replay has come."""

    def start(self, what: str, frame_count: int | None) -> Callable[[], None]:
        """A pass over the recording begins (``reading``, or a policy); call what is returned for every frame."""
        ...


@dataclass(frozen=True)
class ReplayResult:
    """What came of a replay.

    Args:
        records: one per policy, in order.
        truth: every item of the recording.
        runs: the evaluation of each record: the ``runs`` of the report's document.
        measured: times really taken, by policy; ``models`` holds those of the detector in this process.
        cards: of the models used, by their role (`2D detector`, `3D detector on the device`, `3D detector in the
            cloud`); those of a remote server are not known.
    """

    records: Sequence[RunRecord]
    truth: Sequence[TrueFrame]
    runs: Sequence[Mapping[str, Any]]
    measured: Mapping[str, Mapping[str, Mapping[str, float]]]
    cards: Mapping[str, ModelCard]


class _Runner(Protocol):
    def run(
        self,
        policy: PolicySpec,
        start_ns: int,
        watch: Stopwatch,
        on_item: Callable[[], None],
        recorder: Recorder | None = None,
    ) -> RunRecord: ...


def run_replay(
    request: ReplayRequest,
    settings: Settings,
    recording: Recording,
    progress: Progress,
    record_folder: Path | None = None,
) -> ReplayResult:
    """Run all policies.

    Args:
        request: what to do.
        settings: of both halves.
        recording: the source, open.
        progress: told how far it is.
        record_folder: gets the record of each policy's run; None where none is wanted.

    Raises:
        VedetteError: recording, models or server cannot be used, or a record cannot be written.
    """
    cards = _cards(request, settings)
    truth = read_truth(recording, progress.start("reading", recording.frame_count))
    model_watch = Stopwatch()
    measured: dict[str, Mapping[str, Mapping[str, float]]] = {}
    records = []
    with _cloud(request, settings) as target:
        runner = _runner(request, settings, recording, target, model_watch)
        for policy in request.policies:
            watch = Stopwatch()
            on_item = progress.start(str(policy), len(truth))
            facts = RunFacts("replay", str(policy), recording.name, recording.time_base, request.cloud, settings)
            with recorder_in(record_folder, facts) as recorder, watch.measure("whole run"):
                records.append(runner.run(policy, truth[0].stamp_ns, watch, on_item, recorder))
            measured[str(policy)] = watch.summary()
    measured["models"] = model_watch.summary()
    return ReplayResult(records, truth, [evaluate_run(record, truth) for record in records], measured, cards)


def _cards(request: ReplayRequest, settings: Settings) -> dict[str, ModelCard]:
    """Found before a server is started, so that a missing model is known at once."""
    store = ModelStore(settings.models.folder)
    cards = {}
    if request.needs_detector2d:
        cards["2D detector"] = store.find(settings.edge.detector2d.model).card
    usual = edge_detector3d(settings)
    for name in request.edge_detectors3d(usual):
        role = "3D detector on the device" if name == usual else f"3D detector of edge-only:{name}"
        cards[role] = store.find(name).card
    if request.needs_cloud_detector3d:
        cards["3D detector in the cloud"] = store.find(settings.cloud.detector3d).card
    return cards


@dataclass(frozen=True)
class _Target:
    """Where the agent finds the cloud: the server itself, or a relay in front of it."""

    address: str
    shaper: LinkShaper | None = None


@contextmanager
def _cloud(request: ReplayRequest, settings: Settings) -> Iterator[_Target]:
    """The cloud for as long as it is needed."""
    with ExitStack() as stack:
        address = request.cloud
        if request.kind is CloudKind.EMBEDDED and request.needs_cloud:
            address = stack.enter_context(embedded_cloud(settings))
        if request.network is None or request.kind is CloudKind.SIMULATED or not request.needs_cloud:
            yield _Target(address)
        else:
            shaper = stack.enter_context(shaped_link(address, request.network))
            yield _Target(shaper.address, shaper)


def _runner(
    request: ReplayRequest, settings: Settings, recording: Recording, target: _Target, watch: Stopwatch
) -> _Runner:
    if request.network is not None and request.profile is not None:
        models = simulated_models(request.policies, settings, watch)
        return Simulation(
            recording,
            settings.edge,
            request.network,
            request.profile,
            models.detector2d,
            models.on_device,
            models.usual,
            models.in_cloud,
        )
    registry = ModelRegistry(settings.models.folder, settings.models.providers, settings.models.threads)
    detector2d = load_detector2d(registry, settings) if request.needs_detector2d else None
    usual = edge_detector3d(settings)
    detectors3d = {
        name: WatchedDetector(registry.load_detector3d(name), watch) for name in request.edge_detectors3d(usual)
    }
    return RealTime(recording, settings.edge, target.address, detector2d, detectors3d, usual, target.shaper)
