"""The run's metrics."""

from __future__ import annotations

import pytest
from prometheus_client import CollectorRegistry

from vedette.detections import Detections3D
from vedette.edge.agent import FrameResult, MergeResult
from vedette.edge.counters import RunCounters
from vedette.edge.metrics import MeteredRun
from vedette.edge.offload.link import Answer, Loss, LossReason
from vedette.edge.offload.policy import OffloadDecision
from vedette.errors import InvalidFrameError
from vedette.frames import BadFrame
from vedette.publication import Publication

MS = 1_000_000


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


@pytest.fixture
def counters() -> RunCounters:
    return RunCounters()


@pytest.fixture
def metered(registry: CollectorRegistry, counters: RunCounters) -> MeteredRun:
    return MeteredRun(registry, counters)


def test_frames_and_their_times(metered, registry, counters) -> None:
    """Every outcome of a frame is counted with its latency and age, and passed on."""
    publication = Publication.empty(0, 0, 20 * MS, -30 * MS)
    metered.on_frame(FrameResult(0, publication, OffloadDecision(True, "interval"), {"lift": 4.0}, ("image",)))
    metered.on_bad_frame(BadFrame(1, "x", 0, InvalidFrameError("truncated")), publication)
    assert registry.get_sample_value("vedette_edge_frames_total", {"outcome": "processed"}) == 1
    assert registry.get_sample_value("vedette_edge_frames_total", {"outcome": "bad"}) == 1
    assert registry.get_sample_value("vedette_edge_offload_decisions_total", {"reason": "interval"}) == 1
    assert registry.get_sample_value("vedette_edge_latency_seconds_sum") == pytest.approx(0.040)
    assert registry.get_sample_value("vedette_edge_age_seconds_sum") == pytest.approx(0.100)
    assert registry.get_sample_value("vedette_edge_stage_seconds_sum", {"stage": "lift"}) == pytest.approx(0.004)
    assert registry.get_sample_value("vedette_edge_frames_without_total", {"part": "image"}) == 1
    assert (counters.processed, counters.bad) == (1, 1)
    assert "1 processed (1 without image), 0 skipped, 1 bad" in counters.summary()


def test_requests_and_their_bytes(metered, registry, counters) -> None:
    """Answers and losses are counted under one name, with all bytes that went over the link."""
    metered.on_answer(Answer(0, 0, 9, Detections3D.empty(), 1000, 50, {"uplink": 30.0}), MergeResult(None))
    metered.on_loss(Loss(1, 0, 9, LossReason.DEADLINE, "", 700), None)
    assert registry.get_sample_value("vedette_edge_requests_total", {"outcome": "answered"}) == 1
    assert registry.get_sample_value("vedette_edge_requests_total", {"outcome": "deadline"}) == 1
    assert registry.get_sample_value("vedette_edge_link_bytes_total", {"direction": "up"}) == 1700
    assert registry.get_sample_value("vedette_edge_link_bytes_total", {"direction": "down"}) == 50
    assert registry.get_sample_value("vedette_edge_link_stage_seconds_sum", {"stage": "uplink"}) == pytest.approx(0.03)
    assert (counters.answered, counters.lost[LossReason.DEADLINE]) == (1, 1)
