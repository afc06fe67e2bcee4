"""The network of a replay, and how users name one; docs/links.md explains each part.

    none                                              takes no time
    constant:12mbps,delay=20ms
    step:8mbps/0mbps/20mbps,every=2s                  rates in turn, over and over; 0mbps is an outage
    blackout:8mbps,gone=30s@20s                       one rate, and nothing at all for 30 s from second 20 on
    fading:SEED,mean=8mbps,spread=0.4,memory=1s,outage=0.05,lasting=1s
    trace:FILE,uplink=0.25                            CSV (time_s,rate_mbps), mahimahi's format or a Ghent 4G log

Every kind but none also takes

    delay=TIME  jitter=TIME  seed=NUMBER              one way, in each direction; the most that is added, and its seed
    scale=NUMBER  uplink=NUMBER  down=RATE            of both directions' rates; of the uplink's; a constant downlink
    buffer=SIZE                                       before the bottleneck, in each direction
    stall=SPANS  blackhole=SPANS                      both directions freeze, or swallow what is under way
    reset=INSTANTS                                    all connections break
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from vedette.datasets.traces import (
    NEVER,
    RateTrace,
    Spans,
    blackout_trace,
    constant_trace,
    fading_trace,
    read_rate_trace,
    step_trace,
)
from vedette.errors import ConfigError
from vedette.paths import path_from_user
from vedette.replay.direction import DirectionModel
from vedette.replay.quantities import parse_bytes, parse_number, parse_rate_bps, parse_spans, parse_time_ns

_SEED: Final = re.compile(r"[0-9]{1,18}")
DEFAULT_NETWORK: Final = "constant:20mbps,delay=20ms"
NO_NETWORK: Final = "none"
MIN_BUFFER_BYTES: Final = 1500
"""A packet."""
_COMMON_KEYS: Final = frozenset(
    {"delay", "jitter", "seed", "scale", "uplink", "down", "buffer", "stall", "blackhole", "reset"}
)


@dataclass(frozen=True)
class NetworkModel:
    """Both directions of a link, and what breaks its connections.

    Args:
        spec: as the user named it; reports show it.
        up: from the device to the cloud.
        down: from the cloud to the device.
        resets: instants at which all connections break, counted from where the traces begin.
    """

    spec: str
    up: DirectionModel
    down: DirectionModel
    resets: Spans = NEVER


def parse_network(spec: str) -> NetworkModel:
    """Read a network spec.

    Raises:
        ConfigError: unknown kind or key, or a value that does not parse; the message says what would be right.
        MissingDataError: a trace file that is not there.
        FileFormatError: a trace file that cannot be read as one.
    """
    if spec.strip() == NO_NETWORK:
        return NetworkModel(NO_NETWORK, DirectionModel(), DirectionModel())
    kind, _, rest = spec.partition(":")
    if kind not in _KINDS:
        raise ConfigError(f"network {spec!r}: unknown kind {kind!r}; known are {NO_NETWORK}, {', '.join(_KINDS)}")
    try:
        return _read(spec, kind, rest)
    except ConfigError as error:
        raise ConfigError(f"network {spec!r}: {error}; for example {_KINDS[kind].example}") from error


def _read(spec: str, kind: str, rest: str) -> NetworkModel:
    main, *pairs = (part.strip() for part in rest.split(","))
    if not main:
        raise ConfigError("nothing after the colon")
    options = _options(pairs, _KINDS[kind].keys | _COMMON_KEYS)
    up = _KINDS[kind].build(main, options)
    if "scale" in options:
        up = up.scaled(parse_number(options["scale"], 0.0, 1e3))
    down = constant_trace(parse_rate_bps(options["down"])) if "down" in options else up
    if "uplink" in options:
        up = up.scaled(parse_number(options["uplink"], 0.0, 1e3))
    resets = parse_spans(options["reset"]) if "reset" in options else NEVER
    if resets.length_ns:
        raise ConfigError(f"reset={options['reset']} has a length; a reset is an instant, such as @20s/90s or /30s")
    both = _both_directions(options)
    seed = _seed(options.get("seed", "0"))
    return NetworkModel(
        spec,
        up=replace(both, trace=up, jitter_seed=(seed, 0)),
        down=replace(both, trace=down, jitter_seed=(seed, 1)),
        resets=resets,
    )


def _both_directions(options: Mapping[str, str]) -> DirectionModel:
    """What the directions have in common: all but rates and seeds."""
    buffer_bytes = parse_bytes(options["buffer"]) if "buffer" in options else None
    if buffer_bytes is not None and buffer_bytes < MIN_BUFFER_BYTES:
        raise ConfigError(f"buffer={options['buffer']} does not hold a packet of {MIN_BUFFER_BYTES} B")
    return DirectionModel(
        delay_ns=parse_time_ns(options.get("delay", "0ms")),
        jitter_ns=parse_time_ns(options.get("jitter", "0ms")),
        buffer_bytes=buffer_bytes,
        stalls=_lasting_spans(options, "stall") if "stall" in options else NEVER,
        black_holes=_lasting_spans(options, "blackhole") if "blackhole" in options else NEVER,
    )


def _lasting_spans(options: Mapping[str, str], key: str) -> Spans:
    spans = parse_spans(_required(options, key))
    if spans.length_ns == 0:
        raise ConfigError(f"{key}={options[key]} lasts no time; expected spans such as 2s@20s/90s or 2s/30s")
    return spans


def _options(pairs: list[str], known: frozenset[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or key not in known:
            raise ConfigError(f"unknown part {pair!r}; known are {', '.join(f'{name}=' for name in sorted(known))}")
        if key in options:
            raise ConfigError(f"{key} is given twice")
        options[key] = value
    return options


def _required(options: Mapping[str, str], key: str) -> str:
    if key not in options:
        raise ConfigError(f"{key}= is missing")
    return options[key]


def _constant(main: str, _options: Mapping[str, str]) -> RateTrace:
    return constant_trace(parse_rate_bps(main))


def _step(main: str, options: Mapping[str, str]) -> RateTrace:
    every_ns = parse_time_ns(_required(options, "every"))
    if every_ns == 0:
        raise ConfigError("every=0 is no time")
    return step_trace([parse_rate_bps(level) for level in main.split("/")], every_ns)


def _blackout(main: str, options: Mapping[str, str]) -> RateTrace:
    return blackout_trace(parse_rate_bps(main), _lasting_spans(options, "gone"))


def _seed(text: str) -> int:
    if _SEED.fullmatch(text) is None:
        raise ConfigError(f"seed {text[:40]!r} is not a whole number of at most 18 digits")
    return int(text)


def _fading(main: str, options: Mapping[str, str]) -> RateTrace:
    seed = _seed(main)
    mean_bps = parse_rate_bps(_required(options, "mean"))
    spread = parse_number(options.get("spread", "0.4"), 0.0, 3.0)
    memory_s = parse_time_ns(options.get("memory", "1s")) / 1e9
    if memory_s == 0.0:
        raise ConfigError("memory=0 is no time")
    outage_share = parse_number(options.get("outage", "0"), 0.0, 0.9)
    outage_s = parse_time_ns(options.get("lasting", "1s")) / 1e9
    if outage_s < 1.0:
        raise ConfigError(f"lasting={options['lasting']} is too short; expected 1s or more")
    return fading_trace(
        seed, mean_bps, spread=spread, correlation_s=memory_s, outage_share=outage_share, outage_s=outage_s
    )


def _trace(main: str, _options: Mapping[str, str]) -> RateTrace:
    return read_rate_trace(path_from_user(main))


@dataclass(frozen=True)
class _Kind:
    build: Callable[[str, Mapping[str, str]], RateTrace]
    keys: frozenset[str]
    example: str


_KINDS: Final = {
    "constant": _Kind(_constant, frozenset(), "constant:12mbps,delay=20ms"),
    "step": _Kind(_step, frozenset({"every"}), "step:8mbps/0mbps,every=2s"),
    "blackout": _Kind(_blackout, frozenset({"gone"}), "blackout:8mbps,gone=30s@20s,delay=20ms"),
    "fading": _Kind(
        _fading,
        frozenset({"mean", "spread", "memory", "outage", "lasting"}),
        "fading:1,mean=8mbps,outage=0.05,delay=20ms",
    ),
    "trace": _Kind(_trace, frozenset(), "trace:downlink.csv,uplink=0.25,delay=20ms"),
}
