"""Opens sessions of ONNX Runtime, from an engine that was made beforehand where there is one.

Two of the runtime's habits are handled here:

- Its CPU memory arena keeps the largest size it ever saw, which grows without end when shapes vary (onnxruntime#5796,
  #22297). A model with a varying input length runs without the arena.
- Idle worker threads spin, which steals a small device's cores from everyone else. Here they sleep.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import onnxruntime as ort
import structlog

from vedette.errors import ModelError, ModelLoadError
from vedette.models.engines import GRAPH_FILE, EngineBuild, EngineCache, EngineKey

_CPU: Final = "CPUExecutionProvider"
_TENSORRT: Final = "TensorrtExecutionProvider"
_QUIET: Final = 3  # errors only: the runtime's warnings name graph nodes, which no user can act on


@dataclass(frozen=True)
class SessionOptions:
    """How models are run.

    Args:
        providers: execution providers in order of preference.
        threads: threads per session, at least 1.
        engines: where engines are kept; None for models that are only looked at.
        build: makes the engines that are missing, and keeps account of them; None in service, which only uses them.
    """

    providers: tuple[str, ...] = (_CPU,)
    threads: int = 1
    engines: EngineCache | None = None
    build: EngineBuild | None = None


@dataclass(frozen=True)
class Graph:
    """An ONNX graph to open.

    Args:
        source: path of the file, or its content.
        place: names it in errors.
        sha256: of the file.
        shapes: of its inputs, as text.
        varies: whether a length of its inputs varies.
    """

    source: str | bytes
    place: str
    sha256: str = ""
    shapes: str = ""
    varies: bool = False


def open_session(graph: Graph, options: SessionOptions) -> ort.InferenceSession:
    """Open a session on the first of the providers that are there.

    Args:
        graph: what to open.
        options: providers, threads and engines.

    Raises:
        ModelLoadError: the runtime refuses the graph, or none of the providers is there.
        ModelError: an engine that is to be made cannot be written.
    """
    usable = _usable_providers(options.providers)
    engines = options.engines
    if engines is None:
        return _session(graph, graph.source, options, usable)
    key = EngineKey.here(graph.sha256, graph.shapes, usable)
    folder = options.build.begin(key) if options.build is not None else None
    if folder is not None:
        return _make(graph, options, usable, folder)
    return _use(graph, options, engines, key)


def _make(graph: Graph, options: SessionOptions, usable: Sequence[str], folder: Path) -> ort.InferenceSession:
    """Open the graph so that the runtime leaves in the folder what it makes of it."""
    if _TENSORRT in usable:  # which writes its own files when it first runs, and cannot write the graph
        return _session(graph, graph.source, options, usable, folder=folder)
    try:
        return _session(graph, graph.source, options, usable, written=folder / GRAPH_FILE)
    except ModelLoadError as error:
        (folder / GRAPH_FILE).unlink(missing_ok=True)  # what there is of it takes up room
        _session(graph, graph.source, options, usable)  # says so where the graph is at fault
        raise ModelError(f"{folder / GRAPH_FILE}: cannot be written{_room_in(folder)}: {error.__cause__}") from error


def _room_in(folder: Path) -> str:
    """What the runtime's message leaves out where a disk is full."""
    if not folder.is_dir():
        return " (the folder is gone)"
    return f" ({shutil.disk_usage(folder).free / 1e6:.1f} MB are free there)"


def _use(graph: Graph, options: SessionOptions, engines: EngineCache, key: EngineKey) -> ort.InferenceSession:
    """Open the engine where it is ready, and the graph where it is not."""
    folder = engines.folder_of(key)
    if _TENSORRT not in key.providers and engines.is_ready(key):
        try:
            return _session(graph, str(folder / GRAPH_FILE), options, key.providers, is_optimised=True)
        except ModelLoadError as error:
            structlog.get_logger(__name__).warning("model.engine_refused", folder=str(folder), error=str(error))
    return _session(graph, graph.source, options, key.providers, folder=folder)


def _session(
    graph: Graph,
    source: str | bytes,
    options: SessionOptions,
    usable: Sequence[str],
    *,
    folder: Path | None = None,
    written: Path | None = None,
    is_optimised: bool = False,
) -> ort.InferenceSession:
    """A session; TensorRT keeps its files in `folder`, the optimised graph goes to `written`."""
    settings = ort.SessionOptions()
    settings.intra_op_num_threads = options.threads
    settings.inter_op_num_threads = 1
    settings.log_severity_level = _QUIET
    settings.enable_cpu_mem_arena = not graph.varies
    settings.enable_mem_pattern = not graph.varies
    settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if written is not None:
        settings.optimized_model_filepath = str(written)
    if is_optimised:
        settings.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        return ort.InferenceSession(source, settings, providers=[_with_options(one, folder) for one in usable])
    except Exception as error:  # the runtime's exceptions share no base of their own
        raise ModelLoadError(
            f"{graph.place}: ONNX Runtime refuses it as a model: {' '.join(str(error).split())}; expected an intact"
            " ONNX file"
        ) from error


def _usable_providers(wanted: Sequence[str]) -> list[str]:
    available = ort.get_available_providers()
    usable = [provider for provider in wanted if provider in available]
    if not usable:
        raise ModelLoadError(
            f"none of the execution providers {', '.join(wanted) or '(none named)'} is there; this machine has"
            f" {', '.join(available)} (setting models.providers)"
        )
    return usable


def _with_options(provider: str, folder: Path | None) -> tuple[str, dict[str, str]]:
    if provider != _TENSORRT or folder is None:
        return provider, {}
    return provider, {"trt_engine_cache_enable": "1", "trt_engine_cache_path": str(folder)}
