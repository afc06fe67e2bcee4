"""The install script stages a working agent, and running it again keeps what the user edited."""

from __future__ import annotations

import configparser
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from vedette.config_loader import load_settings

JETSON = Path(__file__).resolve().parents[2] / "jetson"


def install(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", str(JETSON / "install.sh"), *arguments], capture_output=True, text=True, check=False, timeout=900
    )


def test_settings_of_the_device_are_valid() -> None:
    """The file that the script installs loads, with TensorRT before CUDA before CPU."""
    settings = load_settings(JETSON / "vedette.yaml")
    assert settings.models.providers == ("TensorrtExecutionProvider", "CUDAExecutionProvider", "CPUExecutionProvider")


def test_unit_runs_the_agent_from_where_the_script_puts_it() -> None:
    """The command of the service exists under these names, and the variables it uses are set in agent.env."""
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[method-assign,assignment]
    unit.read(JETSON / "vedette-edge.service")
    command = shlex.split(unit["Service"]["ExecStart"])
    assert command[:3] == ["/opt/vedette/bin/vedette", "edge", "run"]
    assert unit["Service"]["EnvironmentFile"] == "/etc/vedette/agent.env"
    assigned = {line.split("=")[0] for line in (JETSON / "agent.env").read_text().splitlines() if "=" in line}
    assert {word[2:-1] for word in command if word.startswith("${")} <= assigned


def test_a_restart_of_the_service_keeps_the_boxes() -> None:
    """Boxes go to standard output, which is appended to their file; --out would replace it."""
    unit = (JETSON / "vedette-edge.service").read_text().splitlines()
    assert "StandardOutput=append:/var/lib/vedette/boxes.jsonl" in unit
    assert not any("--out" in line for line in unit)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("--nonsense",), "unknown option --nonsense"), (("--root", "/nonexistent", "--python", "false"), "Python 3.11")],
)
def test_wrong_calls_are_refused(arguments: tuple[str, ...], message: str) -> None:
    """Before anything is written."""
    result = install(*arguments)
    assert result.returncode == 2
    assert message in result.stderr


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_installing_twice_keeps_what_was_edited(tmp_path: Path) -> None:
    """The second run upgrades the program, without modules that are gone, and leaves /etc/vedette alone."""
    first = install("--root", str(tmp_path), "--python", sys.executable)
    assert first.returncode == 0, first.stderr
    assert f"models import --config {tmp_path}/etc/vedette/vedette.yaml" in first.stdout
    settings = tmp_path / "etc/vedette/vedette.yaml"
    edited = yaml.safe_dump({"edge": {"offload": {"interval": 3}}})
    settings.write_text(edited)
    gone = JETSON.parent / "build/lib/vedette/gone.py"
    gone.parent.mkdir(parents=True, exist_ok=True)
    gone.touch()
    second = install("--root", str(tmp_path), "--python", sys.executable)
    assert second.returncode == 0, second.stderr
    assert settings.read_text() == edited
    assert not list(tmp_path.rglob("gone.py"))
    program = tmp_path / "opt/vedette/bin/vedette"
    shown = subprocess.run([program, "--version"], capture_output=True, text=True, check=True, timeout=60)
    assert shown.stdout.startswith("vedette ")


@pytest.mark.long
@pytest.mark.timeout(600)
def test_core_dependencies_have_wheels_for_the_device() -> None:
    """The resolver finds every core package as a wheel for aarch64."""
    result = subprocess.run(
        ["bash", str(JETSON / "check_wheels.sh"), sys.executable], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert "all as wheels for aarch64" in result.stdout
