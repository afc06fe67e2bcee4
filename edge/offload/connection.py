"""The channel to the cloud and its supervisor.

gRPC's own reconnection is not trusted: since grpcio 1.68 a client may stay dead after its server restarts
(grpc/grpc#38290), and a channel whose packets vanish stays dead for 15 minutes (grpc/grpc#32435). So the supervisor
asks the server for its information every few seconds and builds a new channel when the old one is silent or broken.

The blocking API is used, one thread for each thing that may wait, because the asyncio API shares one poller among the
event loops of a process and logs errors as soon as there are two (a server embedded for a replay is the second).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

import grpc
import structlog

from vedette.config import LinkConfig
from vedette.errors import ConfigError, DeadlineError, LinkUnavailableError, VedetteError
from vedette.protos.address import is_address
from vedette.protos.limits import MESSAGE_SIZE_OPTIONS
from vedette.protos.status import error_of
from vedette.protos.v1alpha1 import detection_pb2, info_pb2

_DETECT: Final = f"/{detection_pb2.DESCRIPTOR.services_by_name['DetectionService'].full_name}/DetectSweep"
_INFO: Final = f"/{info_pb2.DESCRIPTOR.services_by_name['InfoService'].full_name}/GetServerInfo"
_FIRST_BACKOFF_S: Final = 0.1
_JOIN_TIMEOUT_S: Final = 10.0

_OPTIONS: Final = (
    *MESSAGE_SIZE_OPTIONS,
    # a new channel must not inherit the broken connections and the backoff of the old one
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2000),
)


class CloudConnection:
    """Calls the server, and keeps the channel to it alive.

    Args:
        target: ``HOST:PORT``; an IPv6 address stands in brackets.
        config: how often to ping, and how long a silence may last.
        longest_budget_s: of a call. On a slow uplink a large request holds up everything behind it, pings included, so
            silence counts only once a call could have used all of its budget.

    Raises:
        ConfigError: the target is malformed.
    """

    def __init__(self, target: str, config: LinkConfig, longest_budget_s: float) -> None:
        if not is_address(target):
            raise ConfigError(f"cloud address {target!r}; expected HOST:PORT, the port from 1 to 65535")
        self._target = target
        self._ping_interval_s = config.ping_interval_s
        self._silence_s = max(config.reconnect_after_s, longest_budget_s + config.ping_interval_s)
        self._log = structlog.get_logger().bind(cloud=target)
        self._channel = self._open()
        self._trouble = threading.Event()
        self._closing = threading.Event()
        self._heard_s = time.monotonic()
        self._reachable: bool | None = None
        self._ping_ms: float | None = None
        self._defect: BaseException | None = None
        self._supervisor = threading.Thread(target=self._supervise_or_tell, name="link-supervisor", daemon=True)

    @property
    def ping_ms(self) -> float | None:
        """The shortest empty round trip on this channel, or None before the first."""
        return self._ping_ms

    @property
    def reachable(self) -> bool:
        """Whether the server answered the last ping."""
        return self._reachable is True

    def start(self) -> None:
        """Begin to supervise."""
        self._supervisor.start()

    def detect(self, message: bytes, budget_s: float) -> bytes:
        """Ask for the objects of a sweep; blocks until the answer is there, or the budget spent.

        Args:
            message: a serialized ``DetectSweepRequest``.
            budget_s: travels along as the call's deadline.

        Returns:
            The serialized ``DetectSweepResponse``.

        Raises:
            VedetteError: what the server answered instead, or `DeadlineError` or `LinkUnavailableError` without one.
        """
        if self._defect is not None:
            raise self._defect
        try:
            answer = self._call(_DETECT, message, budget_s)
        except LinkUnavailableError:
            self._trouble.set()
            raise
        self._heard_s = time.monotonic()
        self._note(reachable=True, detail="")
        return answer

    def close(self) -> None:
        """Cancel what is under way and release the channel."""
        self._closing.set()
        self._trouble.set()
        self._channel.close()
        if self._supervisor.ident is not None:
            self._supervisor.join(_JOIN_TIMEOUT_S)

    def _open(self) -> grpc.Channel:
        # How long an attempt to connect may take, under the name that gRPC has for it: as long as silence may last. A
        # far-off server needs several round trips for it.
        attempt = ("grpc.min_reconnect_backoff_ms", round(self._silence_s * 1e3))
        return grpc.insecure_channel(self._target, options=(*_OPTIONS, attempt))

    def _call(self, method: str, message: bytes, timeout_s: float) -> bytes:
        try:
            call: Callable[..., bytes] = self._channel.unary_unary(method)
            return call(message, timeout=timeout_s)
        except grpc.RpcError as error:
            if not isinstance(error, grpc.Call):
                raise
            raise error_of(error) from None
        except ValueError:  # grpc's word for a channel that was closed just now
            raise LinkUnavailableError("the channel is being built anew") from None

    def _supervise_or_tell(self) -> None:
        try:
            self._supervise()
        except BaseException as error:  # raised in the next call: a link without its supervisor must not go on
            self._defect = error

    def _supervise(self) -> None:
        failures = 0
        while not self._closing.is_set():
            error = self._ping()
            if error is None:
                failures = 0
                self._trouble.wait(self._ping_interval_s)
                self._trouble.clear()
                continue
            if self._is_broken(error) and not self._closing.is_set():
                self._rebuild(error)
            self._closing.wait(min(self._ping_interval_s, _FIRST_BACKOFF_S * 2.0 ** min(failures, 10)))
            failures += 1

    def _ping(self) -> VedetteError | None:
        started_s = time.monotonic()
        try:
            self._call(_INFO, b"", self._ping_interval_s)
        except (DeadlineError, LinkUnavailableError) as error:
            self._note(reachable=False, detail=str(error))
            return error
        except VedetteError:  # it answers, if only to refuse: what matters here is that it is there
            pass
        self._heard_s = time.monotonic()
        took_ms = (self._heard_s - started_s) * 1e3
        self._ping_ms = took_ms if self._ping_ms is None else min(self._ping_ms, took_ms)
        self._note(reachable=True, detail="")
        return None

    def _is_broken(self, error: VedetteError) -> bool:
        silent_s = time.monotonic() - self._heard_s
        return isinstance(error, LinkUnavailableError) or silent_s >= self._silence_s

    def _rebuild(self, error: VedetteError) -> None:
        old, self._channel = self._channel, self._open()
        old.close()
        self._heard_s, self._ping_ms = time.monotonic(), None
        self._log.debug("channel built anew", cause=str(error))

    def _note(self, *, reachable: bool, detail: str) -> None:
        if reachable != self._reachable and not self._closing.is_set():
            self._reachable = reachable
            if reachable:
                self._log.info("cloud reachable")
            else:
                self._log.warning("cloud not reachable", detail=detail)
