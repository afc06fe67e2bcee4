"""Fetching models, from a server of our own that behaves well or badly."""

import hashlib
import os
import resource
import signal
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from vedette.errors import ConfigError, ModelError, ModelHashError, UnknownModelError
from vedette.models import pulling
from vedette.models.cards import read_card
from vedette.models.pulling import pull
from vedette.models.registry import ModelRegistry

TO_NOWHERE = {
    "/elsewhere": "ftp://127.0.0.1/whole",
    "/bracket": "http://[::bad/",
    "/secret": "http://me:s3cret@127.0.0.1/x",
}


class Answers(BaseHTTPRequestHandler):
    """Gives `server.blob` in the way that the path names."""

    def do_GET(self):
        blob = self.server.blob
        if self.path == "/missing":
            self.send_error(404)
            return
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/whole")
            self.end_headers()
            return
        if self.path in TO_NOWHERE:
            self.send_response(302)
            self.send_header("Location", TO_NOWHERE[self.path])
            self.end_headers()
            return
        if self.path == "/garbage":
            self.wfile.write(b"\x1b[31mno web\x00\r\n\r\n")
            return
        if self.path == "/chatty":
            self.wfile.write(b"HTTP/1.0 200 OK\r\n")
            while not self.server.release.wait(0.05):
                self.wfile.write(b"a: b\r\n")
                self.wfile.flush()
            return
        self.send_response(200)
        if self.path != "/endless":
            self.send_header("Content-Length", str(10**12 if self.path == "/huge" else len(blob)))
        self.end_headers()
        if self.path == "/short":
            self.wfile.write(blob[: len(blob) // 2])
        elif self.path == "/silent":
            self.wfile.write(blob[:10])
            self.wfile.flush()
            self.server.release.wait(10)
        elif self.path == "/slow":
            for _ in range(50):
                self.wfile.write(b"x")
                self.wfile.flush()
                if self.server.release.wait(0.05):
                    return
        elif self.path == "/endless":
            self.wfile.write(b"x" * (1 << 18))
        else:
            self.wfile.write(blob[::-1] if self.path in {"/another", "/%C3%BC%20%C3%9F"} else blob)

    def log_message(self, *_):
        """Silent."""


@pytest.fixture
def server():
    """On a free port; gives its address with what it serves."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.release = threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.release.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def published(server, constant_model, write_card, car_rows, monkeypatch):
    """A model of the catalogue whose publisher is that server; gives a function from a path to its URL."""
    model = constant_model(car_rows)
    server.blob = model.read_bytes()
    card = read_card(write_card(sha256=hashlib.sha256(server.blob).hexdigest()))
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr(pulling, "known_cards", lambda: [card])
    monkeypatch.setattr("vedette.models.catalog.known_cards", lambda: [card])
    monkeypatch.setitem(pulling.UPSTREAM, "tiny", pulling.Upstream(f"{address}/whole", card.name))
    return lambda path: f"{address}{path}"


@pytest.fixture
def registry(tmp_path):
    return ModelRegistry(tmp_path / "models", packaged=tmp_path / "none")


def left_behind(registry):
    return [path.name for path in registry.store.folder.iterdir()] if registry.store.folder.exists() else []


@pytest.mark.parametrize("path", ["/whole", "/moved"])
def test_a_published_file_is_fetched_and_imported(registry, published, path):
    """From its publisher or a mirror, over a redirection too; twice is as good as once."""
    heard = []
    card = pull(registry, "tiny", published(path), progress=lambda here, whole: heard.append((here, whole)))
    assert registry.store.find("tiny").card == card
    assert heard[-1][0] == heard[-1][1] == len(registry.store.find("tiny").model_path.read_bytes())
    assert pull(registry, "tiny") == card
    assert left_behind(registry) == ["tiny"]


@pytest.mark.timeout(30)  # it hangs with nobody
@pytest.mark.parametrize(
    ("path", "limits", "error", "message"),
    [
        ("/another", {}, ModelHashError, "nothing was imported"),
        ("/missing", {}, ModelError, "404"),
        ("/short", {}, ModelError, "cannot be fetched"),
        ("/silent", {"silence_s": 0.2}, ModelError, "sent nothing for 0.2 s"),
        ("/slow", {"deadline_s": 0.3}, ModelError, "by the deadline"),
        ("/endless", {"max_bytes": 1 << 17}, ModelError, "more than 131072 bytes"),
        ("/huge", {}, ModelError, "more than 536870912 bytes"),
        ("/chatty", {"deadline_s": 0.3}, ModelError, "by the deadline"),
        ("/garbage", {}, ModelError, r"\?\[31mno web\?;"),
        ("/bracket", {}, ModelError, "cannot be fetched: Invalid IPv6 URL"),
        ("/ü ß", {}, ModelHashError, "nothing was imported"),
        ("/elsewhere", {}, ModelError, "sends to 'ftp://127.0.0.1/whole'; expected one that begins with http"),
        ("/secret", {}, ModelError, r"sends to 'http://\*\*\*@127.0.0.1/x'; expected one .* without user and password"),
    ],
)
def test_what_goes_wrong_is_said_and_leaves_nothing(registry, published, path, limits, error, message):
    """With the URL, and what to do instead."""
    with pytest.raises(error, match=message) as caught:
        pull(registry, "tiny", published(path), **limits)
    assert published(path) in str(caught.value)
    assert left_behind(registry) == []


def test_what_is_here_already_is_not_fetched(registry, published):
    """A damaged one is."""
    pull(registry, "tiny")
    heard = []
    assert pull(registry, "tiny", progress=lambda *numbers: heard.append(numbers)).name == "tiny"
    assert heard == []
    registry.store.find("tiny").model_path.write_bytes(b"rot")
    pull(registry, "tiny", progress=lambda *numbers: heard.append(numbers))
    assert heard != []
    registry.store.find("tiny").verify()


def test_a_server_that_is_not_there(registry, published):
    """Port 9 of this machine."""
    with pytest.raises(ModelError, match="cannot be fetched"):
        pull(registry, "tiny", "http://127.0.0.1:9/x")


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://example.org/x", "x.onnx", "", "http://[::1", "https:///x"]
)
def test_only_the_web_is_fetched_from(registry, published, url):
    """No files of this machine."""
    with pytest.raises(ConfigError, match="http"):
        pull(registry, "tiny", url)


def test_what_a_killed_download_left_behind_is_removed_by_the_next(registry, published):
    """Not what another one has in hand."""
    left = registry.store.folder / ".pending-left"
    left.mkdir(parents=True)
    with registry.store.scratch() as held:
        for folder in (left, held):
            os.utime(folder, (0, 0))
        pull(registry, "tiny")
        assert sorted(left_behind(registry)) == sorted([held.name, "tiny"])


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://me:s3cret@127.0.0.1:9/x", "http://***@127.0.0.1:9/x"),
        ("http://me:s3/cret@127.0.0.1/x", "http://***@127.0.0.1/x"),
        ("http://me:s3@cret@127.0.0.1/x", "http://***@127.0.0.1/x"),
        ("ftp://me:s3cret@127.0.0.1/x", "ftp://***@127.0.0.1/x"),
        ("me:s3cret@127.0.0.1/x", "***@127.0.0.1/x"),
        ("http://token-s3cret@127.0.0.1/x", "http://***@127.0.0.1/x"),
    ],
)
def test_a_password_in_a_url_is_refused_and_not_shown(registry, published, url, shown):
    """The library would not use it, and messages end in logs."""
    with pytest.raises(ConfigError, match="without user and password") as caught:
        pull(registry, "tiny", url)
    assert f"URL {shown!r}" in str(caught.value)
    assert "cret" not in str(caught.value)


def test_an_at_sign_in_a_path_is_none_of_a_user(registry, published):
    """Mirrors of packages have such paths."""
    assert pull(registry, "tiny", published("/tiny@1?of=me:x@y")).name == "tiny"


def test_a_full_disk_is_not_blamed_on_the_server(registry, published, monkeypatch):
    """Another mirror would not help."""
    monkeypatch.setattr(pulling, "_BLOCK", 100)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, limit[1]))
    try:
        with pytest.raises(ModelError, match="cannot be written"):
            pull(registry, "tiny")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, handler)
    assert left_behind(registry) == []


def test_what_can_be_pulled_says_so():
    """And what cannot, how else."""
    there = pulling.Upstream("https://x/y.onnx", "tiny")
    assert there.way_here("tiny") == "vedette models pull tiny"


def test_an_unknown_name_lists_what_there_is(registry):
    """Both entries."""
    with pytest.raises(UnknownModelError, match=r"yolox-nano, nanodet-plus-m-1\.5x-416"):
        pull(registry, "resnet")


@pytest.mark.parametrize(
    ("name", "file", "family"),
    [
        ("nanodet-plus-m-1.5x-416", r"nanodet-plus-m-1\.5x_416\.onnx", "nanodet_plus"),
        ("yolox-nano", r"yolox_nano\.onnx", "yolox"),
    ],
)
def test_an_entry_without_a_hash_says_how_to_import_by_hand(registry, name, file, family):
    """Nothing is fetched: the published files could not be had when the catalogue was written."""
    with pytest.raises(ModelError, match=rf"download .*/{file}, and .*import {file} --family {family} --name {name}$"):
        pull(registry, name)
    assert left_behind(registry) == []


def test_a_mirror_of_a_file_that_the_publisher_does_not_have(registry, published, monkeypatch):
    """The card's hash decides, also where it is of another export than the publisher's."""
    monkeypatch.setitem(pulling.UPSTREAM, "tiny", pulling.Upstream(published("/whole"), "tiny", is_of_card=False))
    with pytest.raises(ModelError, match="has no hash of this file"):
        pull(registry, "tiny")
    with pytest.raises(ModelHashError):
        pull(registry, "tiny", published("/another"))
    assert pull(registry, "tiny", published("/whole")).name == "tiny"


def test_every_entry_with_a_hash_has_a_card():
    """Of the catalogue that is shipped."""
    cards = {card.name for card in pulling.known_cards()}
    assert {one.card for one in pulling.UPSTREAM.values() if one.card is not None} <= cards
