"""Policies made from the settings."""

from __future__ import annotations

from typing import Final

from vedette.config import OffloadConfig
from vedette.edge.offload.adaptive import Adaptive, AdaptiveRules
from vedette.edge.offload.budget import Budget
from vedette.edge.offload.estimate import LinkEstimate
from vedette.edge.offload.fixed import FixedInterval
from vedette.edge.offload.package import View
from vedette.edge.offload.paper import TestAndAnchor
from vedette.edge.offload.policy import OffloadPolicy

_FRAME_NS: Final = 100_000_000
_BYTES_IN_MB: Final = 1e6


def adaptive_policy(offload: OffloadConfig, *, detect3d: bool) -> OffloadPolicy:
    """Our own policy.

    Args:
        offload: the settings.
        detect3d: whether the device has a 3D detector to run.
    """
    view = View.CAMERA if offload.camera_view_only else View.WHOLE
    rules = AdaptiveRules(offload.codec, view, regions=offload.regions, detect3d=detect3d, frame_ns=_FRAME_NS)
    budget = Budget(
        max_share=offload.max_share,
        frame_ns=_FRAME_NS,
        bytes_a_minute=offload.mb_a_minute * _BYTES_IN_MB,
        bytes_a_month=offload.mb_a_month * _BYTES_IN_MB,
    )
    return Adaptive(rules, budget, LinkEstimate(offload.deadline_ms))


def paper_policy(offload: OffloadConfig) -> OffloadPolicy:
    """Test and anchor frames."""
    return TestAndAnchor(offload.test_interval, offload.min_test_f1)


def policy_of(offload: OffloadConfig, *, detect3d: bool) -> OffloadPolicy:
    """The policy that the settings name.

    Args:
        offload: the settings.
        detect3d: whether the device has a 3D detector to run.
    """
    if offload.policy == "interval":
        return FixedInterval(offload.interval)
    if offload.policy == "paper":
        return paper_policy(offload)
    return adaptive_policy(offload, detect3d=detect3d)
