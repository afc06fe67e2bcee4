"""Logs go to standard error in the format asked for; metrics are served over HTTP."""

from __future__ import annotations

import json
from typing import Literal
from urllib.request import urlopen

import pytest
import structlog
from prometheus_client import CollectorRegistry, Counter

from vedette.config import TelemetryConfig
from vedette.errors import ConfigError
from vedette.telemetry.logs import configure_logging
from vedette.telemetry.metrics import MetricsEndpoint


@pytest.mark.parametrize("log_format", ["json", "auto"])
def test_json_lines_on_a_device(log_format: Literal["json", "auto"], capfd: pytest.CaptureFixture[str]) -> None:
    """Standard output stays free for results; levels below the threshold are silent."""
    configure_logging(TelemetryConfig(log_format=log_format, log_level="warning"))
    logger = structlog.get_logger()
    logger.info("quiet")
    logger.warning("link lost", frame=7)
    captured = capfd.readouterr()
    record = json.loads(captured.err)
    assert captured.out == ""
    assert (record["event"], record["frame"], record["level"]) == ("link lost", 7, "warning")


def test_metrics_are_served_until_closed() -> None:
    """A second endpoint on the same port is refused with the reason."""
    registry = CollectorRegistry()
    Counter("frames", "Frames seen.", registry=registry).inc(3)
    with MetricsEndpoint(registry, "127.0.0.1", 0) as endpoint:
        with urlopen(f"http://127.0.0.1:{endpoint.port}/metrics", timeout=10) as response:
            assert "frames_total 3.0" in response.read().decode()
        with pytest.raises(ConfigError, match="cannot serve metrics"):
            MetricsEndpoint(registry, "127.0.0.1", endpoint.port)


def test_metrics_on_an_address_of_another_machine() -> None:
    """Refused, with the settings that tell host and port."""
    with pytest.raises(ConfigError, match=r"192\.0\.2\.1:0: .*telemetry\.metrics_host"):
        MetricsEndpoint(CollectorRegistry(), "192.0.2.1", 0)
