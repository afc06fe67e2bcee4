"""Making models ready."""

from types import SimpleNamespace

import numpy as np
import onnxruntime as ort
import pytest

from vedette.errors import ModelError, ModelLoadError
from vedette.frames import CameraImage
from vedette.models import engines, opening
from vedette.models.engines import GRAPH_FILE, EngineBuild, EngineCache
from vedette.models.opening import Graph, SessionOptions, open_session
from vedette.models.preparing import prepare
from vedette.models.registry import ModelRegistry

IMAGE = CameraImage(np.zeros((64, 64, 3), np.uint8), 0)


@pytest.fixture
def registry(tmp_path, constant_model, write_card, car_rows):
    """One with the tiny model."""
    registry = ModelRegistry(tmp_path / "models", packaged=tmp_path / "packaged")
    registry.import_file(constant_model(car_rows), card=write_card(sha256=None))
    return registry


@pytest.fixture
def opened(monkeypatch):
    """What sessions are opened from, in order."""
    sources = []
    session = opening.ort.InferenceSession

    def note(source, *arguments, **options):
        sources.append(source)
        return session(source, *arguments, **options)

    monkeypatch.setattr(opening.ort, "InferenceSession", note)
    return sources


def test_the_first_call_makes_and_the_second_finds(registry):
    """The steps are told."""
    steps = []
    first = prepare(registry, "tiny", steps.append)
    assert (first.label, first.engines_made, first.engines_found) == ("tiny@1", 1, 0)
    assert len(steps) == 3
    second = prepare(registry, "tiny")
    assert (second.engines_made, second.engines_found) == (0, 1)
    assert second.providers == ("CPUExecutionProvider",)


def test_the_service_uses_what_was_made_and_answers_the_same(registry, opened):
    """Bit for bit, from the optimised graph."""
    before = registry.load_detector2d("tiny", 0.5).detect(IMAGE)
    prepare(registry, "tiny")
    after = registry.load_detector2d("tiny", 0.5).detect(IMAGE)
    assert opened[-1].endswith(GRAPH_FILE)
    np.testing.assert_array_equal(before.boxes_px, after.boxes_px)
    np.testing.assert_array_equal(before.scores, after.scores)


def test_the_service_makes_nothing(registry):
    """A device's disk may be read-only."""
    registry.load_detector2d("tiny", 0.5).detect(IMAGE)
    assert registry.engines.engines() == []


def test_a_changed_model_makes_a_new_engine(registry, constant_model, write_card, car_rows):
    """The old one is stale once its model is gone."""
    prepare(registry, "tiny")
    registry.import_file(constant_model(car_rows * 0.5), card=write_card(sha256=None), version="2")
    assert prepare(registry, "tiny").engines_made == 1
    assert len(registry.engines.engines()) == 2
    assert len(registry.engines.stale([registry.store.find("tiny@2").card.sha256])) == 1


@pytest.mark.parametrize("what", ["runtime_name", "device_name"])
def test_a_changed_runtime_or_device_makes_a_new_engine(registry, opened, monkeypatch, what):
    """And the old one is not used."""
    prepare(registry, "tiny")
    monkeypatch.setattr(engines, what, lambda: "another")
    registry.load_detector2d("tiny", 0.5)
    assert opened[-1].endswith("model.onnx")
    assert prepare(registry, "tiny").engines_made == 1


def test_a_damaged_engine_is_not_used_and_is_mended(registry, opened):
    """A flipped bit in a graph is another graph."""
    prepare(registry, "tiny")
    (engine,) = registry.engines.engines()
    graph = engine.folder / GRAPH_FILE
    graph.write_bytes(graph.read_bytes()[:-1] + b"x")
    assert len(registry.load_detector2d("tiny", 0.5).detect(IMAGE)) == 1
    assert opened[-1].endswith("model.onnx")
    assert prepare(registry, "tiny").engines_made == 1
    registry.load_detector2d("tiny", 0.5)
    assert opened[-1].endswith(GRAPH_FILE)


def test_an_engine_that_the_runtime_refuses_is_passed_over(registry, opened):
    """It is whole by its record, and yet no graph."""
    prepare(registry, "tiny")
    (engine,) = registry.engines.engines()
    (engine.folder / GRAPH_FILE).write_bytes(b"no graph")
    registry.engines.finish(engine.key, engine.owner_sha256)
    assert len(registry.load_detector2d("tiny", 0.5).detect(IMAGE)) == 1
    assert [path.rpartition("/")[2] for path in opened[-2:]] == [GRAPH_FILE, "model.onnx"]


def test_a_model_that_fails_leaves_no_finished_engine(registry, monkeypatch):
    """The record is written after the first run."""
    monkeypatch.setattr("vedette.models.sessions._run", lambda *_: (_ for _ in ()).throw(ModelError("broken")))
    with pytest.raises(ModelError, match="broken"):
        prepare(registry, "tiny")
    assert [one.key for one in registry.engines.engines()] == [None]


def test_an_engine_that_cannot_be_written(registry, monkeypatch):
    """The model is well, so it is not blamed."""
    monkeypatch.setattr(EngineCache, "make_folder", lambda self, key: self.folder / "not there")
    with pytest.raises(ModelError, match=rf"{GRAPH_FILE}: cannot be written \(the folder is gone\)"):
        prepare(registry, "tiny")


def test_an_engine_that_a_full_disk_cut_short_is_removed(registry, monkeypatch):
    """A stand-in for a disk that takes half of it."""
    session = opening._session

    def half(*arguments, written=None, **options):
        if written is None:
            return session(*arguments, **options)
        written.write_bytes(b"half")
        raise ModelLoadError("refused") from OSError("No space left")

    monkeypatch.setattr(opening, "_session", half)
    with pytest.raises(ModelError, match=rf"{GRAPH_FILE}: cannot be written \(\d+\.\d MB are free there\): No space"):
        prepare(registry, "tiny")
    assert not list(registry.engines.folder.glob(f"*/{GRAPH_FILE}"))


TENSORRT = ("TensorrtExecutionProvider", "CPUExecutionProvider")


def test_tensorrt_keeps_its_files_in_the_same_way(tmp_path, monkeypatch):
    """A stand-in for the runtime, which cannot be had here: it writes an engine where it is told to."""
    told = []

    def session(source, settings, providers):
        told.append((source, dict(providers)["TensorrtExecutionProvider"]))
        assert settings.optimized_model_filepath == ""  # TensorRT's graphs cannot be written
        return SimpleNamespace()

    monkeypatch.setattr(ort, "get_available_providers", lambda: list(TENSORRT))
    monkeypatch.setattr(ort, "InferenceSession", session)
    cache, graph = EngineCache(tmp_path / "engines"), Graph("model.onnx", "model.onnx", "b" * 64, "data")
    build = EngineBuild(cache, "a" * 64)
    open_session(graph, SessionOptions(TENSORRT, engines=cache, build=build))
    ((source, options),) = told
    assert (source, options["trt_engine_cache_enable"]) == ("model.onnx", "1")
    (tmp_path / "engines" / options["trt_engine_cache_path"].rpartition("/")[2] / "sm87.engine").write_bytes(b"engine")
    build.finish()
    again = EngineBuild(cache, "a" * 64)
    open_session(graph, SessionOptions(TENSORRT, engines=cache, build=again))
    open_session(graph, SessionOptions(TENSORRT, engines=cache))
    assert (again.made, again.found) == (0, 1)
    assert told[0] == told[1] == told[2]
