"""Allowances that fill as time passes."""

from __future__ import annotations

import pytest

from vedette.edge.offload.budget import Bucket, Budget

SECOND_NS = 10**9
FRAME_NS = SECOND_NS // 10


def budget(**changes: float) -> Budget:
    """Half of the frames, and more bytes than any test spends."""
    usual = {"max_share": 0.5, "bytes_a_minute": 1e9, "bytes_a_month": 1e12}
    return Budget(frame_ns=FRAME_NS, **(usual | changes))


def test_a_bucket_fills_evenly_up_to_its_limit() -> None:
    """Ten a second, at most five: by hand."""
    bucket = Bucket(10.0, SECOND_NS, 5.0)
    bucket.fill(0)
    assert (bucket.level, bucket.fullness) == (5.0, 1.0)
    bucket.take(7.0)
    assert (bucket.level, bucket.fullness) == (-2.0, 0.0)
    bucket.fill(SECOND_NS // 2)
    assert (bucket.level, bucket.fullness) == (pytest.approx(3.0), pytest.approx(0.6))
    bucket.fill(10 * SECOND_NS)
    assert bucket.level == 5.0


def test_a_clock_that_steps_back_fills_nothing() -> None:
    """And takes nothing."""
    bucket = Bucket(10.0, SECOND_NS, 5.0)
    bucket.fill(SECOND_NS)
    bucket.take(4.0)
    bucket.fill(0)
    assert bucket.level == 1.0


@pytest.mark.parametrize("share", [0.07, 0.15, 0.5, 1.0])
def test_the_share_of_frames_is_kept(share: float) -> None:
    """A policy that takes all it may sends the share, and a burst of three more at most."""
    allowance, sent = budget(max_share=share), 0
    for index in range(1000):
        allowance.fill(index * FRAME_NS)
        if allowance.shortage(1.0) is None:
            allowance.take_frame()
            sent += 1
    assert 1000 * share - 1 <= sent <= 1000 * share + 3


@pytest.mark.parametrize(
    ("changes", "frames", "byte_count", "shortage"),
    [
        pytest.param({}, 0, 10.0, None, id="nothing spent"),
        pytest.param({}, 3, 10.0, "share of frames used up", id="the burst is spent"),
        pytest.param({"bytes_a_minute": 100.0}, 0, 100.0, None, id="a minute's worth at once"),
        pytest.param({"bytes_a_minute": 100.0}, 0, 101.0, "bytes of the minute used up", id="more than that"),
        pytest.param({"bytes_a_month": 1500.0}, 0, 100.0, None, id="two days' worth at once"),
        pytest.param({"bytes_a_month": 1500.0}, 0, 101.0, "bytes of the month used up", id="more than two days'"),
    ],
)
def test_what_forbids_to_send(changes: dict[str, float], frames: int, byte_count: float, shortage: str | None) -> None:
    """The first allowance that does not suffice is named."""
    allowance = budget(**changes)
    allowance.fill(0)
    for _ in range(frames):
        allowance.take_frame()
    assert allowance.shortage(byte_count) == shortage


def test_bytes_come_back_with_time() -> None:
    """600 bytes a minute are ten a second; the fullness is that of the scarcest allowance."""
    allowance = budget(bytes_a_minute=600.0)
    allowance.fill(0)
    allowance.take_bytes(600)
    assert allowance.fullness == 0.0
    assert allowance.shortage(1.0) == "bytes of the minute used up"
    allowance.fill(6 * SECOND_NS)
    assert allowance.fullness == pytest.approx(0.1)
    assert allowance.shortage(60.0) is None
    assert allowance.shortage(61.0) == "bytes of the minute used up"
