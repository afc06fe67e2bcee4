"""What the outcomes of requests tell about the link."""

from __future__ import annotations

import pytest

from vedette.detections import Detections3D
from vedette.edge.offload.estimate import LinkEstimate
from vedette.edge.offload.link import Answer, Loss, LossReason

MS = 1_000_000
DEADLINE_MS = 3000.0


def answer(byte_count: int, at_ms: int = 0, **stage_ms: float) -> Answer:
    """An answer with stages."""
    return Answer(0, 0, at_ms * MS, Detections3D.empty(), byte_count, 100, stage_ms)


def loss(reason: LossReason, at_ms: int = 0, byte_count: int = 0) -> Loss:
    """A request lost."""
    return Loss(0, 0, at_ms * MS, reason, "", byte_count)


def test_answers_teach_rate_delay_and_size() -> None:
    """A steady link of 1 Mbit/s with 20 ms each way, a detector of 50 ms: a message of 10 kB takes 80 + 40 + 50 ms."""
    estimate = LinkEstimate(DEADLINE_MS)
    for _ in range(25):
        estimate.on_answer(
            answer(10_000, encode=4.0, queue=500.0, uplink=100.0, detect3d=46.0, downlink=20.0), "camera"
        )
    assert estimate.rate_bps == pytest.approx(1e6, rel=0.01)
    assert estimate.delay_ms(10_000) == pytest.approx(80 + 40 + 50, rel=0.02)
    assert estimate.delay_ms(20_000) == pytest.approx(160 + 40 + 50, rel=0.02)
    assert estimate.bytes_of("camera") == pytest.approx(10_000)


def test_sizes_by_kind() -> None:
    """What is not met yet is guessed, and one kind's size is not another's."""
    estimate = LinkEstimate(DEADLINE_MS)
    guess = estimate.bytes_of("regions")
    estimate.on_answer(answer(90_000, uplink=100.0), "whole")
    assert estimate.bytes_of("whole") == 90_000
    assert estimate.bytes_of("regions") == guess > 0


def test_an_answer_without_stages_leaves_the_rate() -> None:
    """Of a detector on the device, say: nothing is learned about a wire, and nothing divided by zero."""
    estimate = LinkEstimate(DEADLINE_MS)
    before = estimate.rate_bps
    estimate.on_answer(answer(1000), "camera")
    assert estimate.rate_bps == before


def test_losses_in_a_row_make_pauses_longer() -> None:
    """0.5, 1, 2, 4 s and no more; an answer opens it again."""
    estimate = LinkEstimate(DEADLINE_MS)
    for count, pause_ms in enumerate((500, 1000, 2000, 4000, 4000), start=1):
        estimate.on_loss(loss(LossReason.UNAVAILABLE, at_ms=10_000))
        assert estimate.lost_in_a_row == count
        assert not estimate.is_open((10_000 + pause_ms) * MS - 1)
        assert estimate.is_open((10_000 + pause_ms) * MS)
    estimate.on_answer(answer(1000, at_ms=11_000, uplink=10.0), "camera")
    assert estimate.is_open(11_000 * MS)
    assert estimate.lost_in_a_row == 0


@pytest.mark.parametrize("reason", sorted(set(LossReason) - {LossReason.DEADLINE, LossReason.UNAVAILABLE}, key=str))
def test_losses_that_say_nothing_about_the_link(reason: LossReason) -> None:
    """A full server, a refused message, an answer not believed: no pause, no slower link."""
    estimate = LinkEstimate(DEADLINE_MS)
    before = estimate.rate_bps
    estimate.on_loss(loss(reason, byte_count=30_000))
    assert (estimate.is_open(0), estimate.rate_bps, estimate.lost_in_a_row) == (True, before, 0)


def test_a_deadline_bounds_the_rate() -> None:
    """30 kB not through in 3 s: below 80 kbit/s, but one loss at most halves what is believed; it never raises it."""
    estimate = LinkEstimate(DEADLINE_MS)
    first = estimate.rate_bps
    estimate.on_loss(loss(LossReason.DEADLINE, byte_count=30_000))
    assert estimate.rate_bps == pytest.approx(first / 2)
    rates = []
    for _ in range(10):
        estimate.on_loss(loss(LossReason.DEADLINE, byte_count=30_000))
        rates.append(estimate.rate_bps)
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == pytest.approx(80_000)
    estimate.on_loss(loss(LossReason.DEADLINE, byte_count=10_000_000))
    assert estimate.rate_bps == pytest.approx(80_000)


def test_old_knowledge_is_doubted() -> None:
    """Ten silent seconds on it is as at first: what is too slow to be asked would never be heard to have recovered."""
    estimate = LinkEstimate(DEADLINE_MS)
    first_ms = estimate.delay_ms(30_000)
    for _ in range(8):
        estimate.on_loss(loss(LossReason.DEADLINE, at_ms=1000, byte_count=30_000))
    estimate.doubt(11_000 * MS)
    assert estimate.delay_ms(30_000) > DEADLINE_MS
    estimate.doubt(11_000 * MS + 1)
    assert estimate.delay_ms(30_000) == pytest.approx(first_ms)


def test_a_fast_link_stays_known_as_fast() -> None:
    """Doubt makes nothing worse."""
    estimate = LinkEstimate(DEADLINE_MS)
    for _ in range(20):
        estimate.on_answer(answer(100_000, uplink=20.0, downlink=5.0, detect3d=10.0), "camera")
    before_ms = estimate.delay_ms(100_000)
    estimate.doubt(60_000 * MS)
    assert estimate.delay_ms(100_000) == before_ms
