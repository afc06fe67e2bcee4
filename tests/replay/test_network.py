"""Network specs as users write them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from vedette.datasets.traces import RateTrace, Spans
from vedette.errors import ConfigError, MissingDataError
from vedette.replay.direction import DirectionModel
from vedette.replay.network import DEFAULT_NETWORK, parse_network

MS = 1_000_000


def test_none_takes_no_time() -> None:
    """The absent network has neither rates nor delay."""
    model = parse_network("none")
    assert model.up == model.down == DirectionModel()


def rates(direction: DirectionModel) -> RateTrace:
    assert direction.trace is not None
    return direction.trace


def test_constant_with_everything() -> None:
    """Delay is one way; the scale applies to the uplink, the downlink can have a rate of its own."""
    model = parse_network("constant:12mbps,delay=20ms,scale=0.5,down=500kbps")
    assert rates(model.up).rates_bps == (6_000_000,)
    assert rates(model.down).rates_bps == (500_000,)
    assert model.up.delay_ns == model.down.delay_ns == 20 * MS


def test_downlink_defaults_to_the_uplinks_rates() -> None:
    """Without down= both directions are alike."""
    model = parse_network("step:8mbps/0bps,every=1.5s")
    assert model.up.trace == model.down.trace
    assert rates(model.up).period_ns == 3000 * MS


def test_an_uplink_is_a_share_of_a_downlinks_log() -> None:
    """uplink= leaves the downlink as it is; scale= is of both."""
    model = parse_network("constant:20mbps,uplink=0.25,scale=0.5")
    assert (rates(model.up).rates_bps, rates(model.down).rates_bps) == ((2_500_000,), (10_000_000,))


def test_blackout() -> None:
    """The rate but for the outages; given instants come once a day, a period again and again."""
    once = rates(parse_network("blackout:8mbps,gone=30s@20s/90s").up)
    assert [once.rate_bps_at(at_s * 1000 * MS) for at_s in (0, 20, 49, 50, 90, 120, 3600)] == [
        8_000_000, 0, 0, 8_000_000, 0, 8_000_000, 8_000_000,
    ]  # fmt: skip
    again = rates(parse_network("blackout:8mbps,gone=2s/10s").up)
    assert [again.rate_bps_at(at_s * 1000 * MS) for at_s in (0, 7, 8, 9, 10, 18)] == [
        8_000_000, 8_000_000, 0, 0, 8_000_000, 0,
    ]  # fmt: skip


def test_what_all_kinds_take() -> None:
    """Jitter, buffer, stalls and black holes are both directions' with seeds of their own, resets the link's."""
    spec = "step:8mbps/1mbps,every=1s,jitter=5ms,seed=7,buffer=64kB,stall=2s@5s/9s,blackhole=1s/60s,reset=@3s"
    model = parse_network(spec)
    assert model.up.jitter_seed != model.down.jitter_seed
    for direction in (model.up, model.down):
        assert (direction.jitter_ns, direction.buffer_bytes) == (5 * MS, 64_000)
        assert direction.stalls == Spans(2000 * MS, (5000 * MS, 9000 * MS))
        assert direction.black_holes == Spans(1000 * MS, (59_000 * MS,), 60_000 * MS)
    assert model.resets == Spans(0, (3000 * MS,))
    assert parse_network("constant:1mbps,reset=/30s").resets.next_start_ns(0) == 30_000 * MS


def test_fading_and_default_parse() -> None:
    """The seeded generator keeps its mean; the default is itself a valid spec."""
    model = parse_network("fading:7,mean=8mbps,spread=0.2,memory=500ms,outage=0.1,lasting=5s,delay=15ms")
    assert rates(model.up).mean_bps == pytest.approx(8e6, abs=1)
    assert parse_network(DEFAULT_NETWORK).spec == DEFAULT_NETWORK


def test_trace_file(tmp_path: Path) -> None:
    """A file's rates are scaled."""
    path = tmp_path / "up.csv"
    path.write_text("time_s,rate_mbps\n0,10\n1,2\n", encoding="utf-8")
    assert rates(parse_network(f"trace:{path},scale=0.5").up).rates_bps == (5_000_000, 1_000_000)
    with pytest.raises(MissingDataError):
        parse_network("trace:nowhere.csv")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "unknown kind ''"),
        ("lte", "unknown kind 'lte'; known are none, constant, step, blackout, fading, trace"),
        ("constant:", "nothing after the colon"),
        ("constant:12", "'12' is not a rate such as 12mbps"),
        ("constant:-1mbps", "is not a rate"),
        ("constant:12mbit", "is not a rate"),
        ("constant:5000gbps", "too large"),
        ("constant:12mbps,delay=20", "'20' is not a time such as 20ms"),
        ("constant:12mbps,loss=5", "unknown part 'loss=5'; known are blackhole=, buffer=, delay=, down=, jitter="),
        ("constant:12mbps,jitter=5", "'5' is not a time"),
        ("constant:12mbps,seed=x", "seed 'x'"),
        ("constant:12mbps,uplink=-1", "'-1' is not a number from 0 to 1000"),
        ("constant:12mbps,buffer=64", "'64' is not a size such as 64kB"),
        ("constant:12mbps,buffer=64gB", "is not a size"),
        ("constant:12mbps,buffer=2000MB", "too large"),
        ("constant:12mbps,buffer=1kB", "does not hold a packet"),
        ("constant:12mbps,stall=2s", "'2s' is not spans of time such as 2s@20s/90s or 2s/30s"),
        ("constant:12mbps,stall=@2s", "lasts no time"),
        ("constant:12mbps,stall=2s@9s/5s", "overlap"),
        ("constant:12mbps,stall=2s@5s/6s", "overlap"),
        ("constant:12mbps,stall=2s/2s", "do not fit"),
        ("constant:12mbps,stall=3s/2s", "do not fit"),
        ("constant:12mbps,blackhole=2s/0s", "do not fit"),
        ("constant:12mbps,blackhole=0s/5s", "lasts no time"),
        ("constant:12mbps,blackhole=2s@", "'' is not a time"),
        ("constant:12mbps,reset=1s@5s", "a reset is an instant"),
        ("constant:12mbps,reset=5s", "not spans"),
        ("constant:12mbps,reset=/0s", "do not fit"),
        ("blackout:8mbps", "gone= is missing"),
        ("blackout:8mbps,gone=@3s", "lasts no time"),
        ("fading:1,mean=8mbps,lasting=900ms", "too short"),
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


GUIDE = Path(__file__).resolve().parents[2] / "docs" / "links.md"


def test_the_guides_examples_parse(tmp_path: Path) -> None:
    """Every spec in the users' guide is one."""
    (tmp_path / "FILE").write_text("time_s,rate_mbps\n0,10\n", encoding="utf-8")
    specs = re.findall(r"`((?:constant|step|blackout|fading|trace):[^`]+)`", GUIDE.read_text(encoding="utf-8"))
    assert len(specs) >= 12
    for spec in specs:
        parse_network(spec.replace("FILE", str(tmp_path / "FILE")))
