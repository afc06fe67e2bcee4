"""Requests and a way to collect outcomes, for the tests of every link on the wall clock."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from vedette.clock import Clock
from vedette.edge.offload.link import Link, OffloadRequest, Outcome
from vedette.frames import Sweep
from vedette.geometry import SE3, PinholeCamera

FAKE_CLOUD = Path(__file__).with_name("fake_cloud.py")
GENEROUS_NS = 20_000_000_000


@pytest.fixture
def camera() -> PinholeCamera:
    """Looks along x of the velo frame."""
    cam_from_velo = SE3(np.array([[0.0, -1, 0], [0, 0, -1], [1, 0, 0]]), np.zeros(3))
    projection = np.array([[700.0, 0, 600, 0], [0, 700, 180, 0], [0, 0, 1, 0]])
    return PinholeCamera(projection, cam_from_velo, width_px=1242, height_px=375)


@pytest.fixture
def make_request(camera: PinholeCamera) -> Callable[..., OffloadRequest]:
    """Makes a request for a small sweep in front of the camera."""

    def make(frame_index: int, *, deadline_ns: int, point_count: int = 64, stamp_ns: int = 0) -> OffloadRequest:
        rng = np.random.default_rng(frame_index)
        points = rng.uniform((10, -3, -1, 0), (40, 3, 1, 1), (point_count, 4)).astype(np.float32)
        sweep = Sweep(points, stamp_ns, stamp_ns)
        return OffloadRequest(frame_index, stamp_ns, deadline_ns, sweep, camera, f"{frame_index:032x}")

    return make


@pytest.fixture
def collect() -> Callable[..., list[Outcome]]:
    """Waits for a number of outcomes; the timeout is only a net under a test that hangs."""

    def outcomes(link: Link, clock: Clock, count: int) -> list[Outcome]:
        until_ns = clock.now_ns() + GENEROUS_NS
        found = [link.wait(until_ns) for _ in range(count)]
        assert None not in found, f"{found.count(None)} of {count} outcomes never came"
        return [outcome for outcome in found if outcome is not None]

    return outcomes


@pytest.fixture(scope="session")
def fake_cloud() -> ModuleType:
    """The module fake_cloud.py, which is also a program; its path is ``__file__``."""
    spec = importlib.util.spec_from_file_location("fake_cloud", FAKE_CLOUD)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fake_cloud"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def cloud(fake_cloud: ModuleType) -> Iterator[object]:
    """A fake server in this process, on a free port."""
    cloud = fake_cloud.FakeCloud().start()
    yield cloud
    cloud.stop()
