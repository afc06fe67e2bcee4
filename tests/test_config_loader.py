"""Settings come from file, environment and flags, and say where each value came from."""

from __future__ import annotations

from pathlib import Path

import pytest

from vedette.config import Settings
from vedette.config_loader import describe, flatten, load_settings, load_settings_with_origins, settings_as_yaml
from vedette.errors import ConfigError


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for variable in [name for name in os.environ if name.upper().startswith("VEDETTE_")]:
        monkeypatch.delenv(variable)


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "vedette.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_flags_beat_environment_beats_file_beats_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each layer shows through where the one above says nothing."""
    path = write(tmp_path, "edge: {offload: {interval: 2, codec: raw, deadline_ms: 10}}\n")
    monkeypatch.setenv("VEDETTE_EDGE__OFFLOAD__CODEC", "polar")
    monkeypatch.setenv("VEDETTE_EDGE__OFFLOAD__DEADLINE_MS", "20")
    settings, origins = load_settings_with_origins(path, {"edge.offload.deadline_ms": 30, "cloud.port": None})
    offload = settings.edge.offload
    assert (offload.interval, offload.codec, offload.deadline_ms) == (2, "polar", 30)
    assert origins["edge.offload.interval"] == str(path)
    assert origins["edge.offload.codec"] == "environment"
    assert origins["edge.offload.deadline_ms"] == "flag"
    assert origins["cloud.port"] == "default"


def test_file_named_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device sets the path once; --config beats it."""
    monkeypatch.setenv("VEDETTE_CONFIG", str(write(tmp_path, "cloud: {port: 7}\n")))
    assert load_settings().cloud.port == 7
    other = tmp_path / "other.yaml"
    other.write_text("cloud: {port: 8}\n")
    assert load_settings(other).cloud.port == 8


def test_what_is_shown_can_be_read_back(tmp_path: Path) -> None:
    """The saved settings of a run repeat it."""
    settings = load_settings(None, {"edge.offload.interval": 5, "models.providers": ("CPUExecutionProvider",)})
    assert load_settings(write(tmp_path, settings_as_yaml(settings))) == settings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "edge: {ofload: {}}\n",
            r"unknown setting 'edge.ofload'; known there: detector2d, detector3d, link, live, offload",
        ),
        ("nonsense: 1\n", "unknown setting 'nonsense'"),
        ("edge: {offload: {interval: 0}}\n", "'edge.offload.interval' is 0"),
        ("edge: {offload: {interval: often}}\n", "'edge.offload.interval' is 'often'"),
        ("cloud: {port: 70000}\n", "'cloud.port' is 70000"),
        ("edge: 3\n", "'edge' is 3"),
        ("- a\n", "holds a list"),
        ("a: [\n", "is not YAML"),
        ("edge: &e {offload: *e}\n", "is not YAML: aliases"),
        ("edge: {offload: {interval: 2011-99-99}}\n", "is not YAML: month"),
        ("\xff", "unknown|holds a str"),
    ],
)
def test_wrong_files_are_refused_with_the_reason(tmp_path: Path, text: str, message: str) -> None:
    """The message names the file, the setting and what is known."""
    path = write(tmp_path, text)
    with pytest.raises(ConfigError, match=message) as caught:
        load_settings(path)
    assert str(path) in str(caught.value)


def test_missing_and_binary_files_are_refused(tmp_path: Path) -> None:
    """Neither ends in a bare traceback."""
    with pytest.raises(ConfigError, match="cannot read"):
        load_settings(tmp_path / "absent.yaml")
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="cannot read"):
        load_settings(binary)


def test_empty_file_means_defaults(tmp_path: Path) -> None:
    """A file with comments only is legal."""
    assert load_settings(write(tmp_path, "# nothing yet\n")) == Settings()


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("VEDETTE_EDGES", "1", "VEDETTE_EDGES sets nothing"),
        ("VEDETTE_EDGE__OFLOAD__INTERVAL", "1", "unknown setting 'edge.ofload'"),
        ("VEDETTE_EDGE__OFFLOAD__INTERVAL", "x", "'edge.offload.interval' is 'x'"),
        ("VEDETTE_EDGE__OFFLOAD__DEADLINE_MS", "inf", "less than or equal to 86400000"),
        ("VEDETTE_EDGE__LINK__PING_INTERVAL_S", "1e300", "less than or equal to 86400"),
        ("VEDETTE_MODELS__THREADS", "100000", "less than or equal to 256"),
        ("VEDETTE_EDGE", "{bad", "environment: error parsing"),
    ],
)
def test_wrong_environment_is_refused(monkeypatch: pytest.MonkeyPatch, variable: str, value: str, message: str) -> None:
    """A misspelt variable is not silently ignored."""
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigError, match=message):
        load_settings()


def test_every_setting_says_what_it_means() -> None:
    """`config show` has no empty cell."""
    assert set(describe()) == set(flatten(Settings()))
    assert all(describe().values())
