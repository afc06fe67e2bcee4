"""Which frames a fixed interval sends."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from vedette.edge.offload.drift import Drift
from vedette.edge.offload.fixed import FixedInterval
from vedette.edge.offload.package import Package, View
from vedette.edge.offload.policy import Hold, Situation
from vedette.errors import ConfigError

SITUATION = Situation(0, Drift(), {})


def made(index: int, kind: str) -> SimpleNamespace:
    """A frame with (``s``) or without (``-``) a sweep."""
    return SimpleNamespace(index=index, sweep=object() if kind == "s" else None)


def sent(interval: int, sweeps: str) -> str:
    """The decisions, 1 or 0, for frames with and without a sweep; those that were skipped (``.``)."""
    policy = FixedInterval(interval)
    decisions = ""
    for index, kind in enumerate(sweeps):
        decisions += "." if kind == "." else str(int(policy.decide(made(index, kind), SITUATION).send))  # type: ignore[arg-type]
    return decisions


@pytest.mark.parametrize(
    ("interval", "sweeps", "expected"),
    [
        (1, "ssss", "1111"),
        (2, "sssss", "10101"),
        (3, "sssssss", "1001001"),
        (3, "--ss", "0010"),  # the first frame with a sweep
        (3, "sss-s", "10001"),  # due without a sweep: the next one that has it
        (3, "s..s..s", "1..1..1"),  # a busy agent skips frames: they count
        (3, "ss...s.s", "10...1.0"),  # due while skipped: the next one that is processed
    ],
)
def test_every_nth_frame_is_sent(interval: int, sweeps: str, expected: str) -> None:
    """The first frame with a sweep and then every n-th."""
    assert sent(interval, sweeps) == expected


def test_reasons_and_package() -> None:
    """Each decision says why; a frame sent is packed as the policy was told; nothing is held or detected here."""
    package = Package(View.WHOLE, "raw")
    policy = FixedInterval(2, package)
    frames = [made(0, "-"), made(1, "s"), made(2, "s")]
    decisions = [policy.decide(frame, SITUATION) for frame in frames]  # type: ignore[arg-type]
    assert [decision.reason for decision in decisions] == ["no sweep", "interval", "between anchors"]
    assert [decision.package for decision in decisions] == [None, package, None]
    plan = policy.plan(frames[1], 0)  # type: ignore[arg-type]
    assert (plan.detect3d, plan.hold) == (False, Hold.NEVER)


def test_refuses_no_interval() -> None:
    """An interval below 1 is no interval."""
    with pytest.raises(ConfigError, match="interval is 0"):
        FixedInterval(0)
