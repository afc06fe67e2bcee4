"""An agent made from the settings, ready to run on a source: what `vedette edge run` does."""

from __future__ import annotations

from typing import Final

import numpy as np
from prometheus_client import CollectorRegistry

from vedette.clock import WallClock
from vedette.config import Settings
from vedette.detections import Detector2D
from vedette.edge.counters import RunCounters
from vedette.edge.lifting_agent import LiftingAgent
from vedette.edge.metrics import MeteredRun
from vedette.edge.offload.choice import policy_of
from vedette.edge.offload.grpc_link import GrpcLink
from vedette.edge.offload.link import Link, NullLink
from vedette.edge.recording import NullRecorder, Recorder
from vedette.edge.runner import EdgeRunner
from vedette.frames import CameraImage, FrameSource, TimeBase
from vedette.models.registry import ModelRegistry
from vedette.publication import Sink
from vedette.telemetry.stages import MeasuredStages

_LEAD_NS: Final = 500_000_000
"""From the start of a recorded run to its first frame: time to connect and to read ahead."""
_PREFETCH_FRAMES: Final = 8
_WARM_UP_SIZE_PX: Final = (1242, 375)


class EdgeSession:
    """One run of the lifting agent in real time.

    Args:
        settings: of models and agent.
        source: recorded, then played at its own pace; or live.
        sink: takes the publications; closed by its owner, as the source is.
        target: ``HOST:PORT`` of the cloud, or None for a device on its own.
        live_clock: what a live source stamps with; recordings get a clock of their own.
        registry: where the run's metrics are shown.
        recorder: keeps what happens; None where nothing is to be kept.

    Raises:
        ModelError: the 2D detector cannot be loaded.
        ConfigError: the target or a setting is malformed.
    """

    def __init__(
        self,
        settings: Settings,
        source: FrameSource,
        *,
        sink: Sink,
        target: str | None,
        live_clock: WallClock,
        registry: CollectorRegistry,
        recorder: Recorder | None = None,
    ) -> None:
        self.counters = RunCounters()
        detector2d = _load_detector2d(settings)
        clock = live_clock if source.time_base is TimeBase.WALL_CLOCK else _clock_for(source)
        offload, keeper = settings.edge.offload, recorder or NullRecorder()
        policy = keeper.policy(policy_of(offload, detect3d=False))
        agent = LiftingAgent(detector2d, policy, keeper.sink(sink), clock, MeasuredStages())
        self._runner = EdgeRunner(
            source,
            keeper.agent(agent),
            _link(settings, target, clock),
            clock=clock,
            deadline_ns=round(offload.deadline_ms * 1e6),
            observer=MeteredRun(registry, self.counters),
            prefetch_frames=_PREFETCH_FRAMES,
        )

    def run(self) -> None:
        """Run until the source ends or `stop` is called.

        Raises:
            VedetteError: the source or the sink failed, not just one frame.
        """
        self._runner.run()

    def stop(self) -> None:
        """End the run after the frame in hand; from any thread or signal handler."""
        self._runner.stop()


def _load_detector2d(settings: Settings) -> Detector2D:
    models, wanted = settings.models, settings.edge.detector2d
    registry = ModelRegistry(models.folder, models.providers, models.threads)
    detector = registry.load_detector2d(wanted.model, wanted.score_threshold, wanted.mask_model)
    width_px, height_px = _WARM_UP_SIZE_PX
    # the first inference allocates and may compile, which no frame should wait for
    detector.detect(CameraImage(np.zeros((height_px, width_px, 3), np.uint8), stamp_ns=0))
    return detector


def _clock_for(source: FrameSource) -> WallClock:
    first = next(iter(source), None)
    return WallClock(None if first is None else first.ready_ns - _LEAD_NS)


def _link(settings: Settings, target: str | None, clock: WallClock) -> Link:
    if target is None:
        return NullLink(clock)
    return GrpcLink(target, clock, link=settings.edge.link, offload=settings.edge.offload)
