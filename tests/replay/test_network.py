"""Network specs as users write them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from vedette.errors import ConfigError, MissingDataError
from vedette.replay.network import DEFAULT_NETWORK, parse_network

MS = 1_000_000


def test_none_takes_no_time() -> None:
    """The absent network has neither rates nor delay."""
    model = parse_network("none")
    assert (model.up, model.down, model.delay_ns) == (None, None, 0)


def test_constant_with_everything() -> None:
    """Delay is one way; the scale applies to the uplink, the downlink can have a rate of its own."""
    model = parse_network("constant:12mbps,delay=20ms,scale=0.5,down=500kbps")
    assert model.up is not None
    assert model.down is not None
    assert model.up.rates_bps == (6_000_000,)
    assert model.down.rates_bps == (500_000,)
    assert model.delay_ns == 20 * MS


def test_downlink_defaults_to_the_uplinks_rates() -> None:
    """Without down= both directions are alike."""
    model = parse_network("step:8mbps/0bps,every=1.5s")
    assert model.up == model.down
    assert model.up is not None
    assert model.up.period_ns == 3000 * MS


def test_fading_and_default_parse() -> None:
    """The seeded generator keeps its mean; the default is itself a valid spec."""
    model = parse_network("fading:7,mean=8mbps,spread=0.2,memory=500ms,outage=0.1,delay=15ms")
    assert model.up is not None
    assert model.up.mean_bps == pytest.approx(8e6, abs=1)
    assert parse_network(DEFAULT_NETWORK).spec == DEFAULT_NETWORK


def test_trace_file(tmp_path: Path) -> None:
    """A file's rates are scaled."""
    path = tmp_path / "up.csv"
    path.write_text("time_s,rate_mbps\n0,10\n1,2\n", encoding="utf-8")
    model = parse_network(f"trace:{path},scale=0.5")
    assert model.up is not None
    assert model.up.rates_bps == (5_000_000, 1_000_000)
    with pytest.raises(MissingDataError):
        parse_network("trace:nowhere.csv")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "unknown kind ''"),
        ("lte", "unknown kind 'lte'; known are none, constant, step, fading, trace"),
        ("constant:", "nothing after the colon"),
        ("constant:12", "'12' is not a rate such as 12mbps"),
        ("constant:-1mbps", "is not a rate"),
        ("constant:12mbit", "is not a rate"),
        ("constant:5000gbps", "too large"),
        ("constant:12mbps,delay=20", "'20' is not a time such as 20ms"),
        ("constant:12mbps,jitter=5ms", "unknown part 'jitter=5ms'; known are delay=, down=, scale="),
        ("constant:12mbps,delay", "unknown part 'delay'"),
        ("constant:12mbps,delay=1ms,delay=2ms", "delay is given twice"),
        ("constant:12mbps,scale=nan", "'nan' is not a number from 0 to 1000"),
        ("step:1mbps/2mbps", "every= is missing"),
        ("step:1mbps,every=0ms", "no time"),
        ("fading:x,mean=8mbps", "seed 'x'"),
        ("fading:²,mean=8mbps", "seed '²'"),
        (f"fading:{'9' * 5000},mean=8mbps", "seed '999"),
        (f"constant:{'9' * 5000}mbps", "too large"),
        ("trace:~nobody-of-this-name/uplink.csv", "home directory"),
        ("fading:1", "mean= is missing"),
        ("fading:1,mean=8mbps,outage=1", "from 0 to 0.9"),
        ("fading:1,mean=8mbps,memory=0s", "no time"),
    ],
)
def test_refuses(spec: str, message: str) -> None:
    """A wrong spec is refused with the part that is wrong and what would be right."""
    with pytest.raises(ConfigError, match="network") as caught:
        parse_network(spec)
    assert message in str(caught.value)


GUIDE = Path(__file__).resolve().parents[2] / "docs" / "replay.md"


def test_the_guides_examples_parse(tmp_path: Path) -> None:
    """Every spec in the users' guide is one."""
    (tmp_path / "FILE").write_text("time_s,rate_mbps\n0,10\n", encoding="utf-8")
    specs = re.findall(r"`((?:constant|step|fading|trace):[^`]+)`", GUIDE.read_text(encoding="utf-8"))
    assert len(specs) >= 4
    for spec in specs:
        parse_network(spec.replace("FILE", str(tmp_path / "FILE")))
