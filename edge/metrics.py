"""What the agent's run shows to Prometheus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram

from vedette.edge.agent import FrameResult, MergeResult
from vedette.edge.offload.link import Answer, Loss
from vedette.edge.runner import RunObserver
from vedette.frames import BadFrame, Frame
from vedette.publication import Publication

_BUCKETS_S: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class MeteredRun:
    """An observer that counts for Prometheus and passes everything on.

    Args:
        registry: where the metrics are shown; one per run.
        then: told the same.
    """

    def __init__(self, registry: CollectorRegistry, then: RunObserver) -> None:
        self._then = then
        self._frames = Counter("vedette_edge_frames", "Frames, by what became of them.", ["outcome"], registry=registry)
        self._missing = Counter(
            "vedette_edge_frames_without", "Processed frames without a sweep or an image.", ["part"], registry=registry
        )
        self._decisions = Counter(
            "vedette_edge_offload_decisions", "Decisions of the offload policy.", ["reason"], registry=registry
        )
        self._requests = Counter(
            "vedette_edge_requests", "Requests, by answered or why not.", ["outcome"], registry=registry
        )
        self._bytes = Counter("vedette_edge_link_bytes", "Bytes over the link.", ["direction"], registry=registry)
        self._latency = self._histogram(registry, "vedette_edge_latency_seconds", "Capture to publication.", [])
        self._age = self._histogram(registry, "vedette_edge_age_seconds", "Newest data used to publication.", [])
        self._stages = self._histogram(registry, "vedette_edge_stage_seconds", "Steps of the agent.", ["stage"])
        self._round_trip = self._histogram(registry, "vedette_edge_link_stage_seconds", "Of an answer.", ["stage"])

    def on_frame(self, result: FrameResult) -> None:
        """Count a processed frame and take its times."""
        self._frames.labels("processed").inc()
        self._observe(result.publication)
        for part in result.missing:
            self._missing.labels(part).inc()
        self._decisions.labels(result.decision.reason).inc()
        _observe_stages(self._stages, result.stage_ms)
        self._then.on_frame(result)

    def on_skipped(self, frame: Frame, publication: Publication) -> None:
        """Count a frame passed over."""
        self._count("skipped", publication)
        self._then.on_skipped(frame, publication)

    def on_bad_frame(self, bad: BadFrame, publication: Publication) -> None:
        """Count a bad frame."""
        self._count("bad", publication)
        self._then.on_bad_frame(bad, publication)

    def on_answer(self, answer: Answer, result: MergeResult) -> None:
        """Count an answer and take its times."""
        self._requests.labels("answered").inc()
        self._bytes.labels("up").inc(answer.bytes_up)
        self._bytes.labels("down").inc(answer.bytes_down)
        _observe_stages(self._round_trip, answer.stage_ms)
        self._observe(result.publication)
        self._then.on_answer(answer, result)

    def on_loss(self, loss: Loss, publication: Publication | None) -> None:
        """Count a loss by its reason."""
        self._requests.labels(str(loss.reason)).inc()
        self._bytes.labels("up").inc(loss.bytes_up)
        self._observe(publication)
        self._then.on_loss(loss, publication)

    def _count(self, outcome: str, publication: Publication) -> None:
        self._frames.labels(outcome).inc()
        self._observe(publication)

    def _observe(self, publication: Publication | None) -> None:
        if publication is not None:
            self._latency.observe(publication.latency_ns / 1e9)
            self._age.observe(publication.age_ns / 1e9)

    @staticmethod
    def _histogram(registry: CollectorRegistry, name: str, text: str, labels: list[str]) -> Histogram:
        return Histogram(name, text, labels, buckets=_BUCKETS_S, registry=registry)


def _observe_stages(histogram: Histogram, stage_ms: Mapping[str, float]) -> None:
    for stage, duration_ms in stage_ms.items():
        histogram.labels(stage).observe(duration_ms / 1e3)
