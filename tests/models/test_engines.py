"""Engines that are kept."""

import json
import threading
from dataclasses import replace

import pytest

from vedette.errors import ModelError
from vedette.models import engines
from vedette.models.engines import GRAPH_FILE, EngineBuild, EngineCache, EngineKey, device_name

OWNER = "a" * 64
KEY = EngineKey("b" * 64, "data float32[1x3x64x64]", ("CPUExecutionProvider",), "onnxruntime 1.0", "a board")


@pytest.fixture
def cache(tmp_path):
    """Of a folder that is not there yet."""
    return EngineCache(tmp_path / "engines")


@pytest.fixture
def made(cache):
    """The cache with one finished engine; gives its file."""
    path = cache.make_folder(KEY) / GRAPH_FILE
    path.write_bytes(b"graph")
    cache.finish(KEY, OWNER)
    return path


def test_an_empty_cache(cache):
    """Nothing is ready, nothing is stale, and nothing is made by asking."""
    assert not cache.is_ready(KEY)
    assert cache.engines() == cache.stale([]) == []
    assert not cache.folder.exists()


def test_what_was_finished_is_ready(cache, made):
    """For another look at the same folder too."""
    assert EngineCache(cache.folder).is_ready(KEY)
    (stored,) = cache.engines()
    assert (stored.folder, stored.owner_sha256, stored.key) == (made.parent, OWNER, KEY)
    assert stored.size_bytes > 5


@pytest.mark.parametrize(
    "change",
    [
        {"model_sha256": "c" * 64},
        {"shapes": "data float32[1x3x64x65]"},
        {"providers": ("CUDAExecutionProvider", "CPUExecutionProvider")},
        {"runtime": "onnxruntime 1.1"},
        {"device": "another board"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_all_of_the_key_counts(cache, made, change):
    """Another value is another folder."""
    other = replace(KEY, **change)
    assert cache.folder_of(other) != made.parent
    assert not cache.is_ready(other)


def damage_file(path):
    path.write_bytes(b"grape")


def remove_file(path):
    path.unlink()


def remove_record(path):
    (path.parent / "engine.json").unlink()


def break_record(path):
    (path.parent / "engine.json").write_text("{")


def empty_record(path):
    (path.parent / "engine.json").write_text("{}")


def record_of_another(path):
    record = json.loads((path.parent / "engine.json").read_text())
    record["key"]["device"] = "another board"
    (path.parent / "engine.json").write_text(json.dumps(record))


def record_of_the_future(path):
    record = json.loads((path.parent / "engine.json").read_text())
    record["key"]["colour"] = "red"
    (path.parent / "engine.json").write_text(json.dumps(record))


@pytest.mark.parametrize(
    "spoil",
    [damage_file, remove_file, remove_record, break_record, empty_record, record_of_another, record_of_the_future],
)
def test_a_damaged_engine_is_not_ready_and_can_be_made_again(cache, made, spoil):
    """Whatever the damage; nothing of it is left in the new one."""
    spoil(made)
    assert not cache.is_ready(KEY)
    (made.parent / "junk").touch()
    assert list(cache.make_folder(KEY).iterdir()) == []


def test_an_engine_that_may_not_be_read_is_not_ready(cache, made, monkeypatch):
    """It belongs to somebody else, or the disk fails."""

    def refuse(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(engines, "_hashes", refuse)
    assert not cache.is_ready(KEY)


def test_a_further_file_does_no_harm(cache, made):
    """TensorRT adds one when it meets another shape."""
    (made.parent / "more.engine").touch()
    assert cache.is_ready(KEY)


def test_stale_engines(cache, monkeypatch):
    """Of a model, a runtime or a device that is gone, and what was never finished; the others stay."""
    monkeypatch.setattr(engines, "runtime_name", lambda: "onnxruntime 1.0")
    monkeypatch.setattr(engines, "device_name", lambda: "a board")
    for key, owner in [
        (KEY, OWNER),
        (replace(KEY, shapes="other"), OWNER),
        (replace(KEY, model_sha256="c" * 64), "d" * 64),
        (replace(KEY, runtime="onnxruntime 0.9"), OWNER),
        (replace(KEY, device="the old board"), OWNER),
    ]:
        (cache.make_folder(key) / GRAPH_FILE).write_bytes(b"graph")
        cache.finish(key, owner)
    (cache.folder / "left" / "deep").mkdir(parents=True)
    (cache.folder / "loose.engine").write_bytes(b"as earlier versions had them")
    stale = cache.stale([OWNER])
    assert len(stale) == 5
    cache.remove(stale)
    assert {one.key for one in cache.engines()} == {KEY, replace(KEY, shapes="other")}
    assert cache.stale([OWNER]) == []


def test_a_build_makes_what_is_missing_once(cache, made):
    """A session that is opened twice during one build has one engine."""
    build, other = EngineBuild(cache, OWNER), replace(KEY, shapes="other")
    assert build.begin(KEY) is None
    folder = build.begin(other)
    (folder / GRAPH_FILE).write_bytes(b"graph")
    assert build.begin(other) == folder
    assert (build.made, build.found) == (1, 1)
    assert not cache.is_ready(other)  # it has not run yet
    build.finish()
    assert cache.is_ready(other)


def test_a_folder_that_cannot_be_made(tmp_path):
    """Here a file stands in its way; a full disk reads alike."""
    (tmp_path / "engines").touch()
    with pytest.raises(ModelError, match="cannot be made"):
        EngineCache(tmp_path / "engines").make_folder(KEY)


def test_this_machine_has_a_name():
    """One line, the same twice."""
    assert device_name() == device_name() != ""
    assert "\n" not in device_name()


def test_only_one_process_makes_engines_at_a_time(cache):
    """The second says that it waits, and then goes on."""
    done, waited = [], threading.Event()

    def second():
        with EngineCache(cache.folder).alone(waited.set):
            done.append("second")

    with cache.alone(lambda: None):
        thread = threading.Thread(target=second)
        thread.start()
        assert waited.wait(10)
        done.append("first")
    thread.join(10)
    assert done == ["first", "second"]


def test_where_nothing_can_be_written_nobody_is_waited_for(tmp_path):
    """Engines that are there can be used from a folder that is only read."""
    (tmp_path / "file").touch()
    with EngineCache(tmp_path / "file" / "engines").alone(pytest.fail):
        pass
