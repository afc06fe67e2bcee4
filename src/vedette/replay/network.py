"""The network of a simulated replay, and how users name one.

    none                                              takes no time
    constant:12mbps,delay=20ms
    step:8mbps/0mbps/20mbps,every=2s                  rates in turn, over and over; 0mbps is an outage
    fading:SEED,mean=8mbps,spread=0.4,memory=1s,outage=0.05
    trace:FILE,scale=0.5                              CSV (time_s,rate_mbps) or mahimahi's format

Every kind but none also takes ``delay=TIME`` (one way, in each direction; default 0), ``scale=NUMBER`` (of its rates)
and ``down=RATE`` (a constant downlink; default: the downlink has the uplink's rates).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from vedette.datasets.traces import RateTrace, constant_trace, fading_trace, read_rate_trace, step_trace
from vedette.errors import ConfigError
from vedette.paths import path_from_user
from vedette.replay.quantities import parse_number, parse_rate_bps, parse_time_ns

_SEED: Final = re.compile(r"[0-9]{1,18}")
DEFAULT_NETWORK: Final = "constant:20mbps,delay=20ms"
NO_NETWORK: Final = "none"


@dataclass(frozen=True)
class NetworkModel:
    """Both directions of a link.

    Args:
        spec: as the user named it; reports show it.
        up: rate from the device to the cloud; None takes no time.
        down: rate from the cloud to the device; None takes no time.
        delay_ns: from the last bit leaving to the last bit arriving, in each direction.
    """

    spec: str
    up: RateTrace | None
    down: RateTrace | None
    delay_ns: int


def parse_network(spec: str) -> NetworkModel:
    """Read a network spec.

    Raises:
        ConfigError: unknown kind or key, or a value that does not parse; the message says what would be right.
        MissingDataError: a trace file that is not there.
        FileFormatError: a trace file that cannot be read as one.
    """
    if spec.strip() == NO_NETWORK:
        return NetworkModel(NO_NETWORK, None, None, 0)
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
    options = _options(pairs, _KINDS[kind].keys | {"delay", "scale", "down"})
    up = _KINDS[kind].build(main, options)
    if "scale" in options:
        up = up.scaled(parse_number(options["scale"], 0.0, 1e3))
    down = constant_trace(parse_rate_bps(options["down"])) if "down" in options else up
    return NetworkModel(spec, up, down, parse_time_ns(options.get("delay", "0ms")))


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


def _fading(main: str, options: Mapping[str, str]) -> RateTrace:
    if _SEED.fullmatch(main) is None:
        raise ConfigError(f"seed {main[:40]!r} is not a whole number of at most 18 digits")
    mean_bps = parse_rate_bps(_required(options, "mean"))
    spread = parse_number(options.get("spread", "0.4"), 0.0, 3.0)
    memory_s = parse_time_ns(options.get("memory", "1s")) / 1e9
    if memory_s == 0.0:
        raise ConfigError("memory=0 is no time")
    outage_share = parse_number(options.get("outage", "0"), 0.0, 0.9)
    return fading_trace(int(main), mean_bps, spread, memory_s, outage_share)


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
    "fading": _Kind(
        _fading, frozenset({"mean", "spread", "memory", "outage"}), "fading:1,mean=8mbps,outage=0.05,delay=20ms"
    ),
    "trace": _Kind(_trace, frozenset(), "trace:uplink.csv,scale=0.5,delay=20ms"),
}
