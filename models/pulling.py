"""Fetches published models by URL, and takes them in if they are what their publisher published.

Only the SHA-256 decides: where a file comes from does not matter, so a mirror will do as well.
"""

from __future__ import annotations

import hashlib
import http.client
import queue
import string
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPMessage
from pathlib import Path
from typing import IO, Final
from urllib.parse import quote, urlsplit

from vedette.errors import ConfigError, ModelError, ModelHashError, UnknownModelError
from vedette.models.cards import ModelCard
from vedette.models.catalog import known_cards
from vedette.models.registry import ModelRegistry

MAX_BYTES: Final = 512 * 2**20
"""A file that is larger is none of the catalogue's."""
DEADLINE_S: Final = 900.0
SILENCE_S: Final = 20.0
"""A server that sends nothing for so long is given up."""
_BLOCK: Final = 1 << 16
_SCHEMES: Final = ("http", "https")
_OF_THE_WEB: Final = "one that begins with http:// or https:// and names a server, without user and password"
_TOO_LATE: Final = "not there by the deadline"

Progress = Callable[[int, int | None], None]
"""Called with the bytes that are here, and how many there are in all where the server says."""


@dataclass(frozen=True)
class Upstream:
    """Where a model is published.

    Args:
        url: of the file.
        card: name of the card in the catalogue whose hash decides; None where the catalogue knows none.
        is_of_card: whether that card is of the very file at `url`. Where it is of another export, the publisher's hash
            is not known, and only a mirror of the card's file can be checked.
        family: that a file of the publisher's is of.
        note: what else to know.
        title: where there is no card.
        task: likewise.
        licence: likewise.
    """

    url: str
    card: str | None
    is_of_card: bool = True
    family: str = ""
    note: str = ""
    title: str = ""
    task: str = "detect2d"
    licence: str = ""

    def way_here(self, name: str) -> str:
        """What to do to have the file: a command, or a download by hand where nothing tells the file from another.

        Args:
            name: of the entry.
        """
        if self.card is not None and self.is_of_card:
            return f"vedette models pull {name}"
        file = self.url.rpartition("/")[2]
        return f"download {self.url}, and vedette models import {file} --family {self.family} --name {name}"


UPSTREAM: Final[Mapping[str, Upstream]] = {
    # The card's file was exported with PyTorch 1.11, which is younger than release 0.1.1rc0, and has 3,678,356 bytes.
    # Public projects that pin the release's file agree on 3,659,407 bytes, SHA-256 c789161ed43c8269fcd4e67c67eeeb4e80
    # c622da2eb296a20bc6007bd18a0b7d; it could not be obtained to confirm that, so no hash stands here for it.
    "yolox-nano": Upstream(
        "https://github.com/Megvii-BaseDetection/YOLOX/releases/download/0.1.1rc0/yolox_nano.onnx",
        "yolox-nano",
        is_of_card=False,
        family="yolox",
        note="the same shapes as yolox-nano",
    ),
    "nanodet-plus-m-1.5x-416": Upstream(
        "https://github.com/RangiLyu/nanodet/releases/download/v1.0.0-alpha-1/nanodet-plus-m-1.5x_416.onnx",
        None,
        family="nanodet_plus",
        note="input 416x416, otherwise like nanodet-plus",
        title="NanoDet-Plus-m 1.5x, input 416x416",
        licence="Apache-2.0",
    ),
}
"""What can be fetched, by name."""


def pull(
    registry: ModelRegistry,
    name: str,
    url: str | None = None,
    *,
    deadline_s: float = DEADLINE_S,
    silence_s: float = SILENCE_S,
    max_bytes: int = MAX_BYTES,
    progress: Progress = lambda _here, _all: None,
) -> ModelCard:
    """Fetch a model of the catalogue and import it; doing so again changes nothing.

    Args:
        registry: gets it.
        name: one of `UPSTREAM`.
        url: of a mirror; the publisher's by default.
        deadline_s: for all of it.
        silence_s: for the next byte.
        max_bytes: more are refused.
        progress: told how far it is.

    Returns:
        The card as stored.

    Raises:
        UnknownModelError: no such entry.
        ConfigError: a URL that is not http or https.
        ModelHashError: the file is another than the published one.
        ModelError: it cannot be fetched, or its hash is not known.
    """
    upstream = _upstream(name)
    expected = _card(name, upstream, from_publisher=url is None)
    if registry.store.has(expected):
        return expected
    with registry.store.scratch() as folder:
        path = folder / expected.file
        fetch = _Fetch(upstream.url if url is None else url, time.monotonic() + deadline_s, silence_s, max_bytes)
        met = fetch.to(path, progress)
        if met != expected.sha256:
            raise ModelHashError(
                f"{fetch.url}: has SHA-256 {met}; expected {expected.sha256} of the catalogue's {name}: nothing was"
                " imported"
            )
        return registry.import_file(path)


def _upstream(name: str) -> Upstream:
    if name not in UPSTREAM:
        raise UnknownModelError(f"no model {name!r} to pull; there are: {', '.join(UPSTREAM)}")
    return UPSTREAM[name]


def _card(name: str, upstream: Upstream, *, from_publisher: bool) -> ModelCard:
    if upstream.card is None or (from_publisher and not upstream.is_of_card):
        raise ModelError(
            f"{name}: the catalogue has no hash of this file ({upstream.note}), so it cannot tell it from another."
            f" To get it: {upstream.way_here(name)}"
        )
    return next(card for card in known_cards() if card.name == upstream.card)


class _WebOnly(urllib.request.HTTPRedirectHandler):
    """Follows a server to another web address; urllib would follow it to FTP as well."""

    def redirect_request(  # noqa: PLR0917 the library's signature
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        if not _is_of_the_web(newurl):
            raise urllib.error.URLError(f"the server sends to {_without_secret(newurl)!r}; expected {_OF_THE_WEB}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


@dataclass(frozen=True)
class _Fetch:
    """One download with its limits; `deadline` is on the monotonic clock."""

    url: str
    deadline: float
    silence_s: float
    max_bytes: int

    def to(self, path: Path, progress: Progress) -> str:
        """Write the file, and give its SHA-256."""
        if not _is_of_the_web(self.url):
            raise ConfigError(f"URL {_without_secret(self.url)!r}: expected {_OF_THE_WEB}")
        try:
            with self._answer() as answer:
                return self._receive(answer, path, progress)
        except urllib.error.HTTPError as error:
            raise self._failed(f"the server answered {error.code} {error.reason}") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._failed(_reason(error, self.silence_s)) from error

    def _answer(self) -> http.client.HTTPResponse:
        """What the server has to say before the file.

        In a thread that may be left behind: the library bounds the silence between two bytes, and neither the headers
        in all nor the search for the server's address.
        """
        outcome: queue.SimpleQueue[http.client.HTTPResponse | Exception] = queue.SimpleQueue()

        def ask() -> None:
            opener = urllib.request.build_opener(_WebOnly)
            try:
                outcome.put(opener.open(quote(self.url, safe=string.punctuation), timeout=self.silence_s))
            except Exception as error:  # raised again where it is waited for
                outcome.put(error)

        threading.Thread(target=ask, daemon=True, name="pull").start()
        try:
            answer = outcome.get(timeout=max(0.0, self.deadline - time.monotonic()))
        except queue.Empty:
            raise self._failed(_TOO_LATE) from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _receive(self, answer: http.client.HTTPResponse, path: Path, progress: Progress) -> str:
        length = answer.headers.get("Content-Length")
        whole = int(length) if length is not None and length.isdecimal() else None
        digest, here = hashlib.sha256(), 0
        self._check(whole or 0)
        with path.open("wb", buffering=0) as file:
            while block := answer.read1(_BLOCK):
                here += len(block)
                self._check(here)
                digest.update(block)
                _write(file, block)
                progress(here, whole)
        if whole is not None and here < whole:
            raise self._failed(f"the server sent {here} of {whole} bytes")
        return digest.hexdigest()

    def _check(self, size_bytes: int) -> None:
        if size_bytes > self.max_bytes:
            raise self._failed(f"more than {self.max_bytes} bytes; no model of the catalogue is so large")
        if time.monotonic() > self.deadline:
            raise self._failed(_TOO_LATE)

    def _failed(self, reason: str) -> ModelError:
        return ModelError(
            f"{self.url}: cannot be fetched: {_printable(reason)}; nothing was imported. Try again, name a mirror with"
            " --url, or download the file yourself and import it: vedette models import FILE.onnx"
        )


def _write(file: IO[bytes], block: bytes) -> None:
    """A full disk is no failure of the server's."""
    try:
        file.write(block)
    except OSError as error:
        raise ModelError(f"{file.name}: cannot be written ({error.strerror}); nothing was imported") from error


def _is_of_the_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
        names_a_port = parts.port is None or parts.port > 0  # a password with a slash looks like one that is none
    except ValueError:
        return False
    return parts.scheme in _SCHEMES and bool(parts.hostname) and names_a_port and "@" not in parts.netloc


def _without_secret(url: str) -> str:
    """For messages, which end in logs: without what stands before the last @."""
    before, sign, server = url.rpartition("@")
    scheme, slashes, _ = before.rpartition("//")
    return f"{scheme}{slashes}***@{server}" if sign else url


def _printable(text: str) -> str:
    """One line of a screen, whatever a server has sent."""
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split()))[:300]


def _reason(error: Exception, silence_s: float) -> str:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return f"the server sent nothing for {silence_s:g} s"
    return str(cause) or type(cause).__name__
