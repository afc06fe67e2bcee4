"""Fixtures that several parts share. Real data is optional: tests that need it skip with the reason."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
import structlog

REPOSITORY = Path(__file__).resolve().parents[1]
SHARED = REPOSITORY.parent / "shared"

# No test fails because the machine is slow or busy: hypothesis's limit of 200 ms an example is off.
hypothesis.settings.register_profile("any-machine", deadline=None)
hypothesis.settings.load_profile("any-machine")


@pytest.fixture(autouse=True)
def _fresh_logging() -> Iterator[None]:
    """A command under test sets the log to the standard error of that test, which is closed after it."""
    yield
    structlog.reset_defaults()


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of shared data beside the repository."""
    if not (SHARED / "data" / "kitti" / "unpack.py").is_file():
        pytest.skip(f"real data is absent: no {SHARED.name}/data beside the repository")
    return SHARED


@pytest.fixture(scope="session")
def weights_dir(shared_dir: Path) -> Path:
    """Pretrained ONNX files."""
    return shared_dir / "data" / "weights"


@pytest.fixture(scope="session")
def kitti_root(shared_dir: Path) -> Path:
    """The shared KITTI extract as a plain tree, unpacked once per checkout into build/."""
    out = REPOSITORY / "build" / "kitti"
    script = shared_dir / "data" / "kitti" / "unpack.py"
    subprocess.run([sys.executable, str(script), str(out)], check=True, stdout=subprocess.DEVNULL, timeout=120)
    return out
