"""Times really taken in a run, kept apart from the simulated ones, which alone make the report."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from statistics import median

from vedette.detections import Detections3D, Detector3D
from vedette.frames import Sweep
from vedette.geometry import PinholeCamera
from vedette.telemetry.stages import StageTimer


class Stopwatch:
    """Collects measured durations by name."""

    def __init__(self) -> None:
        self._durations_ms: dict[str, list[float]] = {}

    @contextmanager
    def measure(self, name: str) -> Iterator[None]:
        """Measure the enclosed work."""
        started_ns = time.perf_counter_ns()
        try:
            yield
        finally:
            self._durations_ms.setdefault(name, []).append((time.perf_counter_ns() - started_ns) / 1e6)

    def medians_ms(self) -> dict[str, float]:
        """The median of each name, in order of first use."""
        return {name: median(durations) for name, durations in self._durations_ms.items()}

    def summary(self) -> Mapping[str, Mapping[str, float]]:
        """Count, median and total milliseconds of each name, in order of first use."""
        return {
            name: {"count": len(spent), "median_ms": round(median(spent), 3), "total_ms": round(sum(spent), 3)}
            for name, spent in self._durations_ms.items()
        }


class WatchedStages:
    """A stage timer whose stages are measured as well.

    Args:
        stages: says what counts.
        watch: takes what was measured.
    """

    def __init__(self, stages: StageTimer, watch: Stopwatch) -> None:
        self._stages = stages
        self._watch = watch

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Account and measure the enclosed work."""
        with self._stages.stage(name), self._watch.measure(name):
            yield

    def take_ms(self) -> dict[str, float]:
        """What counts since the last call."""
        return self._stages.take_ms()


class WatchedDetector:
    """A detector whose work is measured.

    Args:
        detector: does the work.
        watch: takes the times, as ``detect3d``.
    """

    def __init__(self, detector: Detector3D, watch: Stopwatch) -> None:
        self._detector = detector
        self._watch = watch

    @property
    def name(self) -> str:
        """Of the detector."""
        return self._detector.name

    def detect(self, sweep: Sweep, camera: PinholeCamera) -> Detections3D:
        """Detect and measure."""
        with self._watch.measure("detect3d"):
            return self._detector.detect(sweep, camera)
