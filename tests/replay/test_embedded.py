"""The server as a child process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from vedette.config import CloudConfig, ModelsConfig, Settings
from vedette.errors import LinkUnavailableError
from vedette.replay import embedded
from vedette.replay.embedded import embedded_cloud


def test_missing_model_is_the_servers_own_word(tmp_path):
    """Without models the server ends, and its message with the import line is what the user sees."""
    settings = Settings(models=ModelsConfig(folder=tmp_path), cloud=CloudConfig(detector3d="point-gnn-car"))
    with (
        pytest.raises(LinkUnavailableError, match=r"no model 'point-gnn-car'.*vedette models import"),
        embedded_cloud(settings),
    ):
        pass


@pytest.fixture
def child(monkeypatch, tmp_path):
    """Replaces the server by a program, and tells what became of it."""
    started = []
    popen = subprocess.Popen

    def start(program):
        def replaced(command, **options):
            started.append(popen([sys.executable, "-c", program], **options))
            return started[-1]

        monkeypatch.setattr(embedded.subprocess, "Popen", replaced)
        return started

    return start


def fail_inside():
    with embedded_cloud(Settings()) as target:
        raise RuntimeError(f"replay against {target}")


def test_child_is_gone_after_an_error(child):
    """Whatever happens inside, the child has ended afterwards."""
    started = child("import time; print('listening on 127.0.0.1:7', flush=True); time.sleep(600)")
    with pytest.raises(RuntimeError, match="replay against"):
        fail_inside()
    assert started[0].poll() is not None


def test_a_child_that_ignores_us_is_killed(child, monkeypatch):
    """Neither the closed pipe nor the signal helps: it is killed."""
    monkeypatch.setattr(embedded, "_KILL_AFTER_S", 0.3)
    program = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "print('listening on 127.0.0.1:7', flush=True); time.sleep(600)"
    )
    started = child(program)
    with embedded_cloud(Settings()):
        pass
    assert started[0].poll() == -9


def test_silent_child_is_given_up(child, monkeypatch):
    """A server that says nothing in time is an error that says so."""
    monkeypatch.setattr(embedded, "_START_TIMEOUT_S", 0.3)
    started = child("import time; time.sleep(600)")
    with pytest.raises(LinkUnavailableError, match="did not answer in time"), embedded_cloud(Settings()):
        pass
    assert started[0].poll() is not None


def test_child_program_ends_with_its_parent():
    """When our end of its standard input closes, as when we are killed, the server stops by itself."""
    program = (
        "import runpy, time; import vedette.cli;"
        "vedette.cli.main = lambda: (print('serving', flush=True), time.sleep(600));"
        "runpy.run_module('vedette.replay.cloud_child', run_name='__main__')"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"serving\n"
        assert process.poll() is None
        process.stdin.close()
        assert process.wait(timeout=60) == -15
