"""Measuring a device profile."""

from __future__ import annotations

import re

import pytest

from vedette.config import Settings
from vedette.errors import MissingDataError
from vedette.replay.measure_profile import ProfileBench, device_text
from vedette.replay.profile import AGENT_STAGES, load_profile, save_profile


def test_every_stage_is_measured(street, detectors, device_detector3d, tmp_path):
    """A profile of a few frames has a time for each stage, says where it comes from, and can be read back."""
    detector2d, cloud3d = detectors
    bench = ProfileBench(
        street(9), Settings(), detector2d, device_detector3d, cloud3d, frame_count=8, anchor_interval=4
    )
    profile = bench.measure("board")
    stages = profile.agent_ms(detector2d.name, device_detector3d.name)
    assert min(stages[stage] for stage in AGENT_STAGES) >= 0
    assert profile.edge_ms.forecast > 0
    assert profile.edge_ms.encode > 0
    assert profile.edge_ms.relift > 0
    assert profile.cloud_ms.decode > 0
    assert "vedette bench profile" in profile.origin
    assert "8 frames of street" in profile.origin
    assert profile.models == "car-2d@1, car-3d@1"
    # warm-up, then every fourth of eight frames; device and server each
    assert (device_detector3d.calls, cloud3d.calls) == (1 + 2, 1 + 2)
    save_profile(profile, tmp_path / "p.yaml")
    assert load_profile(tmp_path / "p.yaml") == profile


def test_refuses_too_little(street, detectors):
    """One frame is the warm-up; there must be another."""
    with pytest.raises(MissingDataError, match="1 frames with image and sweep"):
        ProfileBench(street(2, bad=[0]), Settings(), *detectors, detectors[1], 8, 4).measure("board")


def test_device_text():
    """Processor, cores, memory and system."""
    assert re.fullmatch(r".+, \d+ cores, \d+ GiB memory, \S+ \S+, Python 3\.\d+\.\S+", device_text())
