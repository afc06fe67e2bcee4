"""Allowances that fill as time passes."""

from __future__ import annotations

import numpy as np
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


def test_what_a_bucket_begins_with_may_be_a_loan() -> None:
    """Four at the start, paid back one a second over four seconds: what flows in of ten a second is nine so long."""
    bucket = Bucket(10.0, SECOND_NS, 60.0, loan=4.0, loan_ns=4 * SECOND_NS)
    bucket.fill(0)
    assert bucket.level == 4.0
    bucket.take(54.0)
    levels = []
    for second in range(1, 7):
        bucket.fill(second * SECOND_NS)
        levels.append(bucket.level)
    assert levels == pytest.approx([-41, -32, -23, -14, -4, 6])


def test_no_more_is_lent_than_flows_in() -> None:
    """Two in the loan's time, though three were asked for: nothing flows in until they are paid back."""
    bucket = Bucket(1.0, SECOND_NS, 4.0, loan=3.0, loan_ns=2 * SECOND_NS)
    bucket.fill(0)
    assert bucket.level == 2.0
    bucket.take(2.0)
    bucket.fill(2 * SECOND_NS)
    assert bucket.level == pytest.approx(0.0)
    bucket.fill(3 * SECOND_NS)
    assert bucket.level == pytest.approx(1.0)


@pytest.mark.parametrize("share", [0.01, 0.07, 0.15, 0.5, 1.0])
def test_the_share_of_frames_is_kept(share: float) -> None:
    """A policy that takes all it may sends the first frame at once, and keeps the share from the hundredth on."""
    allowance, sent = budget(max_share=share), []
    for index in range(1000):
        allowance.fill(index * FRAME_NS)
        may = allowance.shortage(1.0) is None
        if may:
            allowance.take_frame()
        sent.append(may)
    totals = np.cumsum(sent)
    frames = np.arange(1, 1001)
    assert (totals <= share * frames + 1e-6)[99:].all()
    assert totals[-1] >= 1000 * share - 2
    assert sent[0]


@pytest.mark.parametrize(
    ("changes", "frames", "byte_count", "shortage"),
    [
        pytest.param({}, 0, 10.0, None, id="nothing spent"),
        pytest.param({}, 1, 10.0, "share of frames used up", id="the first frame is spent"),
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
