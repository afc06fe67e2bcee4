"""What `vedette replay` refuses, and how."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vedette.cli.main import app
from vedette.errors import ConfigError, MissingDataError, VedetteError
from vedette.replay.policies import PolicyName


def refused(*arguments: str) -> VedetteError:
    """The error that the program shows as one line."""
    error = CliRunner().invoke(app, ["replay", *arguments]).exception
    assert isinstance(error, VedetteError)
    return error


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (("kitti:x",), ConfigError, "source 'kitti:x'"),
        (("kitti-tracking:nowhere:0000",), MissingDataError, "no folder nowhere"),
        (("s", "--policy", "mobi"), ConfigError, "known are edge-only, cloud-only, hold-last, constant-velocity,"),
        (("s", "--policy", "cloud-only:gzip"), ConfigError, "cloud-only:raw, cloud-only:crop, cloud-only:coded"),
        (("s", "--policy", "moby:fast"), ConfigError, "policy 'moby:fast': no such variant"),
        (("s", "--cloud", "clouds"), ConfigError, "HOST:PORT"),
        (("s", "--network", "warp:1mbps"), ConfigError, "unknown kind 'warp'"),
        (("s", "--cloud", "simulated", "--network", "constant:1"), ConfigError, "12mbps"),
        (("s", "--cloud", "simulated", "--profile", "none.yaml"), MissingDataError, "device profile none.yaml"),
        (("s", "--interval", "0"), ConfigError, "edge.offload.interval"),
    ],
)
def test_refuses_before_loading_anything(arguments: tuple[str, ...], kind: type[VedetteError], message: str) -> None:
    """Wrong flags are told apart from one another, each with what would be right."""
    error = refused(*arguments)
    assert isinstance(error, kind)
    assert message in str(error)


@pytest.mark.shared
def test_a_result_that_could_not_be_written_is_refused_first(kitti_root: Path, tmp_path: Path) -> None:
    """Not after the replay, when its work would be lost."""
    source = f"kitti-tracking:{kitti_root}:0000:0-1"
    error = refused(source, "--json", str(tmp_path / "absent" / "x.json"), "--models-dir", str(tmp_path))
    assert "cannot write the result to" in str(error)


@pytest.mark.shared
def test_missing_models(kitti_root: Path, tmp_path: Path) -> None:
    """Without models the message holds the line that imports them."""
    source = f"kitti-tracking:{kitti_root}:0000:0-1"
    error = refused(source, "--cloud", "simulated", "--models-dir", str(tmp_path))
    assert "vedette models import" in str(error)


def test_help_names_every_policy() -> None:
    """What may be asked for can be read where it is asked for."""
    shown = CliRunner().invoke(app, ["replay", "--help"], env={"COLUMNS": "200", "NO_COLOR": "1"}).output
    words = " ".join(shown.replace("│", " ").split())
    for policy in PolicyName:
        assert re.search(rf"(?<![\w-]){policy}(?![\w-])", words), policy
    assert "Default: edge-only, cloud-only and moby" in words
