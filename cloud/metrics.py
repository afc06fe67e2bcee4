"""What the server counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_STAGE_BUCKETS_S: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class CloudMetrics:
    """The server's metrics.

    Args:
        registry: where they are shown; one per server.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counter(
            "vedette_cloud_requests",
            "Requests answered, by method and gRPC status.",
            ["method", "code"],
            registry=registry,
        )
        self._refused = Counter(
            "vedette_cloud_refused", "Requests answered with an error, by its cause.", ["reason"], registry=registry
        )
        self._stages = Histogram(
            "vedette_cloud_stage_seconds",
            "Time spent in each stage of a request.",
            ["stage"],
            buckets=_STAGE_BUCKETS_S,
            registry=registry,
        )
        self._queue_length = Gauge("vedette_cloud_queue_length", "Requests waiting for the model.", registry=registry)

    def watch_queue(self, length: Callable[[], int]) -> None:
        """Show a queue's length as it is whenever somebody looks."""
        self._queue_length.set_function(length)

    def count_request(self, method: str, code: str) -> None:
        """Count a request that has been answered or given up."""
        self._requests.labels(method, code).inc()

    def count_refused(self, reason: str) -> None:
        """Count a request that was answered with an error."""
        self._refused.labels(reason).inc()

    def observe_stages(self, stage_ms: Mapping[str, float]) -> None:
        """Take the stage times of an answered request."""
        for stage, duration_ms in stage_ms.items():
            self._stages.labels(stage).observe(duration_ms / 1e3)
