"""Which frames a fixed interval sends."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from vedette.edge.offload.policy import FixedInterval
from vedette.errors import ConfigError


def sent(interval: int, sweeps: str) -> str:
    """The decisions for frames with (``s``) and without (``-``) a sweep, as a row of 1 and 0."""
    policy = FixedInterval(interval)
    frames = [SimpleNamespace(sweep=object() if kind == "s" else None) for kind in sweeps]
    return "".join(str(int(policy.decide(frame).send)) for frame in frames)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("interval", "sweeps", "expected"),
    [
        (1, "ssss", "1111"),
        (2, "sssss", "10101"),
        (3, "sssssss", "1001001"),
        (3, "--ss", "0010"),  # the first frame with a sweep
        (3, "sss-s", "10001"),  # due without a sweep: the next one that has it
    ],
)
def test_every_nth_frame_is_sent(interval: int, sweeps: str, expected: str) -> None:
    """The first frame with a sweep and then every n-th."""
    assert sent(interval, sweeps) == expected


def test_refuses_no_interval() -> None:
    """An interval below 1 is no interval."""
    with pytest.raises(ConfigError, match="interval is 0"):
        FixedInterval(0)
