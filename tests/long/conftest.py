"""The long tier: figures that its tests record, written to ``docs/results/DATE-long.json`` when all have passed."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
RESULTS = REPOSITORY / "docs" / "results"
SCHEMA = "vedette.long-tests/1"
PACKAGES = ("vedette", "numpy", "onnxruntime", "opencv-python", "grpcio", "protobuf", "zstandard", "pydantic", "pyyaml")

LENGTH = float(os.environ.get("LONG_TESTS_FACTOR", "1"))
"""Lengthens soak and fuzz: 1 takes minutes, 20 takes hours."""

FIGURES = pytest.StashKey[dict[str, Any]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[FIGURES] = {}


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Write the figures of a whole run of the tier; a part of it, or one with a failure, leaves the files alone."""
    config = session.config
    figures = config.stash.get(FIGURES, {})
    whole = config.option.markexpr == "long" and not config.option.keyword and not config.option.file_or_dir
    if not (whole and figures and exitstatus == pytest.ExitCode.OK):
        return
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    counts = {kind: len(reporter.stats.get(kind, ())) for kind in ("passed", "skipped")} if reporter else {}
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    document = {
        "schema": SCHEMA,
        "date": today,
        "command": "make test-long",
        "length_factor": LENGTH,
        "machine": _machine(),
        "versions": _versions(),
        "tests": counts,
        "figures": figures,
    }
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{today}-long.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def _machine() -> dict[str, Any]:
    return {
        "processor": _processor(),
        "architecture": platform.machine(),
        "logical_cores": psutil.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "system": platform.system(),
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*:\s*(.+)", cpuinfo.read_text()) if cpuinfo.is_file() else None
    return found[1].strip() if found else platform.processor() or "unknown"


def _versions() -> dict[str, str]:
    commit = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    packages = {name: importlib.metadata.version(name) for name in PACKAGES}
    return {"commit": commit.stdout.strip() or "unknown", "python": platform.python_version(), **packages}


# ---- what the tests share


@pytest.fixture
def figures(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Records named figures of a test, under the name of its module and a name of its own."""
    module = request.module.__name__.rpartition(".")[2].removeprefix("test_")

    def record(name: str, **values: Any) -> None:
        request.config.stash[FIGURES].setdefault(module, {})[name] = values

    return record


@pytest.fixture
def length() -> float:
    """How many times the default length soak and fuzz take."""
    return LENGTH


def slope_per_step(values: list[float]) -> float:
    """Slope of the least-squares line through equally spaced values."""
    return float(np.polyfit(np.arange(len(values)), np.array(values), 1)[0])


@pytest.fixture(scope="session")
def slope() -> Callable[[list[float]], float]:
    """Slope of the least-squares line through equally spaced values."""
    return slope_per_step


class ChildServer:
    """A server process that says ``… HOST:PORT`` on its first line; started again on the port of its first start.

    Args:
        command: what to run for a port.
    """

    def __init__(self, command: Callable[[int], list[str]]) -> None:
        self._command = command
        self.port = 0
        self.starts = 0
        self.start()

    @property
    def target(self) -> str:
        """``HOST:PORT``."""
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start and wait until it is ready."""
        self.process = subprocess.Popen(self._command(self.port), stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert ":" in line, "the server did not start"
        self.port = int(line.rpartition(":")[2])
        self.starts += 1

    def kill(self) -> None:
        """End it without warning."""
        self.process.kill()
        self.process.communicate()

    def rss_mb(self) -> float:
        """Resident memory of its process."""
        return float(psutil.Process(self.process.pid).memory_info().rss / 1e6)

    def threads_and_files(self) -> tuple[int, int]:
        """Threads and open file descriptors of its process."""
        process = psutil.Process(self.process.pid)
        return process.num_threads(), process.num_fds()


@pytest.fixture
def child_server() -> Iterator[Callable[[Callable[[int], list[str]]], ChildServer]]:
    """Starts servers; kills them at the end."""
    servers: list[ChildServer] = []

    def start(command: Callable[[int], list[str]]) -> ChildServer:
        servers.append(ChildServer(command))
        return servers[-1]

    yield start
    for server in servers:
        server.kill()


@pytest.fixture(scope="session")
def one_car_server() -> Callable[..., Callable[[int], list[str]]]:
    """Command of the real server around a detector that takes so many milliseconds."""
    script = str(Path(__file__).with_name("one_car_cloud.py"))

    def command_with(detection_ms: int = 0, metrics_port: int = 0) -> Callable[[int], list[str]]:
        return lambda port: [sys.executable, script, str(port), str(detection_ms), str(metrics_port)]

    return command_with


class PeakMemory:
    """The most memory that this process held while the block ran, above what it held at its beginning."""

    grown_mb = 0.0


@pytest.fixture
def peak_memory() -> Callable[[], Any]:
    """A context manager that measures `PeakMemory`; Linux counts it exactly, elsewhere the figure stays 0."""

    @contextmanager
    def measure() -> Iterator[PeakMemory]:
        peak = PeakMemory()
        reset = Path("/proc/self/clear_refs")
        if not reset.exists():
            yield peak
            return
        reset.write_text("5")  # starts VmHWM over (proc(5))
        before_kb = _status_kb("VmRSS")
        yield peak
        peak.grown_mb = (_status_kb("VmHWM") - before_kb) / 1e3

    return measure


def _status_kb(key: str) -> int:
    found = re.search(rf"{key}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1])


# ---- mutations


class Mutator:
    """Seeded damage to valid inputs: bytes, lines, fields and numbers.

    Args:
        seed: the same seed damages in the same way.
    """

    NUMBERS = (
        "nan", "inf", "-inf", "-1", "0", "1e308", "-1e308", "1e-320", "1e19", "9223372036854775808", "-0.0", "0x10",
        "1_0", "٣", "1,5", "", "--1", "99999999999999999999999999", "1e", "+", "NaN", "True", "null",
    )  # fmt: skip
    TEXTS = (
        "", " ", "\x00", "\ufeff", "é", "💥", "{}", "[]", "[" * 300, "{a: " * 150, "&a [*a]", "*b", "!!int x", "0x_",
        "2011-99-99", "!!python/object:os.system x", "? ", "- -", "'", '"', "%", "\t", "..", "../..", "/", "~", "~x/",
        "a" * 3000,
        "<", "&amp;", "<!--", "now", "NaT", "today", "DontCare", ":", "=", "9" * 5000, "<<: *x", "!!timestamp x",
    )  # fmt: skip

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def pick(self, choices: Any) -> Any:
        """One of them."""
        return choices[int(self.rng.integers(len(choices)))]

    def data(self, valid: bytes) -> bytes:
        """Bytes with a few of them changed, removed, repeated or added."""
        data = bytearray(valid)
        for _ in range(int(self.rng.integers(1, 5))):
            at = int(self.rng.integers(len(data) + 1))
            length = int(self.rng.integers(1, 64))
            match int(self.rng.integers(6)):
                case 0:
                    data[at : at + 1] = bytes([int(self.rng.integers(256))])
                case 1 if data:
                    data[at % len(data)] ^= 1 << int(self.rng.integers(8))
                case 2:
                    del data[at : at + length]
                case 3:
                    data[at:at] = self.rng.bytes(length)
                case 4:
                    data[at:at] = data[at : at + length]
                case _:
                    del data[at:]
        return bytes(data)

    def text(self, valid: str) -> str:
        """Text with a few fields or lines changed, removed, repeated, swapped or added."""
        lines = valid.split("\n")
        for _ in range(int(self.rng.integers(1, 4))):
            at = int(self.rng.integers(len(lines))) if lines else 0
            match int(self.rng.integers(8)):
                case 0 | 1 | 2 if lines:
                    lines[at] = self._line(lines[at])
                case 3 if lines:
                    del lines[at]
                case 4 if lines:
                    lines.insert(at, self.pick(lines))
                case 5:
                    lines.insert(at, self.pick(self.TEXTS))
                case 6:
                    lines = lines[:at]
                case _:
                    other = int(self.rng.integers(len(lines))) if lines else 0
                    lines[at:at], lines[other:other] = lines[other : other + 1], lines[at : at + 1]
        return "\n".join(lines)

    def any_text_bytes(self, valid: str) -> bytes:
        """Mostly damaged text, sometimes damaged bytes."""
        if self.rng.random() < 0.7:
            return self.text(valid).encode("utf-8", "surrogatepass")
        return self.data(valid.encode())

    def short(self, valid: str) -> str:
        """A short text with characters and parts changed."""
        for _ in range(int(self.rng.integers(1, 4))):
            at = int(self.rng.integers(len(valid) + 1))
            match int(self.rng.integers(5)):
                case 0:
                    valid = valid[:at] + self.pick(self.TEXTS) + valid[at:]
                case 1:
                    valid = valid[:at] + valid[at + int(self.rng.integers(1, 6)) :]
                case 2:
                    valid = valid[:at] + valid[at : at + 6] * 2 + valid[at + 6 :]
                case 3:
                    valid = re.sub(r"\d+", lambda _: self.pick(self.NUMBERS), valid, count=1)
                case _:
                    parts = re.split("([:,=+/-])", valid)
                    parts[int(self.rng.integers(len(parts)))] = self.pick((*self.NUMBERS, *self.TEXTS))
                    valid = "".join(parts)
        return valid

    def _line(self, line: str) -> str:
        fields = re.split(r"([\s:<>,]+)", line)
        at = int(self.rng.integers(len(fields)))
        fields[at] = self.pick((*self.NUMBERS, *self.TEXTS, "", fields[at] * 2, self.pick(fields)))
        return "".join(fields)


@pytest.fixture(scope="session")
def mutator() -> Callable[[int], Mutator]:
    """Makes mutators from seeds."""
    return Mutator
