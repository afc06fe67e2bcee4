"""Rules of the house that no reader should have to check by eye."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
LINKED = ("edge", "cloud", "protos", "models", "datasets")
SPINE_FOLDERS = ("geometry", "codecs", "evaluation", "telemetry", "replay", "cli")

# What each part may import of ours. A part may always import itself.
BASICS = {"errors", "classes", "geometry"}
SPINE = BASICS | {
    "__version__",
    "clock",
    "codecs",
    "config",
    "config_loader",
    "detections",
    "evaluation",
    "frames",
    "json_text",
    "paths",
    "publication",
    "telemetry",
    "yaml_text",
}
ALLOWED: dict[str, set[str]] = {
    "geometry": set(),
    "errors": set(),
    "classes": set(),
    "codecs": BASICS | {"frames"},
    "evaluation": BASICS,
    "telemetry": SPINE | {"protos"},
    "datasets": SPINE,
    "models": SPINE,
    "training": SPINE | {"datasets", "models"},
    "protos": SPINE,
    "edge": SPINE | {"datasets", "models", "protos"},
    "cloud": SPINE | {"datasets", "models", "protos"},
}

HEAVY = {"torch", "torchvision", "timm", "onnx", "onnxslim", "open3d", "rerun"}


def is_training(path: Path) -> bool:
    """Whether a module trains or exports a model: only these may import torch, and the world that is learnt from."""
    return "training" in path.relative_to(REPOSITORY).parts


def python_files(part: str) -> list[Path]:
    """The modules of a part, generated code left out; the models' training code is a part of its own."""
    if part == "training":
        return [path for path in sorted((REPOSITORY / "models").rglob("*.py")) if is_training(path)]
    root = REPOSITORY / part if part in LINKED else REPOSITORY / "src" / "vedette" / part
    files = sorted(root.rglob("*.py")) if root.is_dir() else [root.with_suffix(".py")]
    return [path for path in files if "_pb2" not in path.name and not is_training(path)]


def imported_names(path: Path) -> Iterator[str]:
    """Every absolute name that a module imports, at the top or inside a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively; write vedette.… in full"
            module = node.module or ""
            yield from (f"{module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("folder", [*LINKED, "tests"])
def test_linked_folders_are_not_packages(folder: str) -> None:
    """A top-level package named `datasets` or `models` would shadow an installed one."""
    assert not (REPOSITORY / folder / "__init__.py").exists()


@pytest.mark.parametrize("folder", LINKED)
def test_links_point_at_the_real_folders(folder: str) -> None:
    """The five links are relative, so that a clone anywhere works."""
    link = REPOSITORY / "src" / "vedette" / folder
    assert link.is_symlink()
    assert str(link.readlink()) == f"../../{folder}"


@pytest.mark.parametrize("part", sorted(ALLOWED))
def test_parts_import_only_what_they_may(part: str) -> None:
    """Edge and cloud never meet but in protos and codecs; geometry stands alone; only replay and cli import both."""
    wrong = [
        f"{path.relative_to(REPOSITORY)} imports {name}"
        for path in python_files(part)
        for name in imported_names(path)
        if name.startswith("vedette.") and name.split(".")[1] not in ALLOWED[part] | {part}
    ]
    assert not wrong


def test_heavy_packages_are_not_imported_by_the_core() -> None:
    """torch and timm stay in the training code, open3d in the world generator."""
    wrong = [
        f"{path.relative_to(REPOSITORY)} imports {name}"
        for part in (*LINKED, *SPINE_FOLDERS)
        for path in python_files(part)
        for name in imported_names(path)
        if name.split(".")[0] in HEAVY - ({"open3d"} if "synth" in path.parts else set())
    ]
    assert not wrong


def test_open3d_is_imported_when_a_world_is_looked_at_and_not_before() -> None:
    """Whoever names a source on the command line need not have it."""
    top_level = [
        f"{path.relative_to(REPOSITORY)} imports open3d at the top"
        for path in python_files("datasets")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Import | ast.ImportFrom) and "open3d" in ast.unparse(node)
    ]
    assert not top_level


def test_no_top_level_import_of_the_five_folders() -> None:
    """`import datasets` would find another package on a user's machine."""
    wrong = [
        f"{path.relative_to(REPOSITORY)} imports {name}"
        for part in (*LINKED, *SPINE_FOLDERS)
        for path in python_files(part)
        for name in imported_names(path)
        if name.split(".")[0] in LINKED
    ]
    assert not wrong


def test_the_agent_starts_without_the_heavy_packages() -> None:
    """Importing the whole command line loads none of them, whatever is installed."""
    code = f"import sys, vedette.cli; print(sorted(set(sys.modules) & {HEAVY!r}))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert result.stdout.strip() == "[]"


def longest_functions() -> Iterator[tuple[int, str]]:
    for part in (*LINKED, *SPINE_FOLDERS, "training"):
        for path in python_files(part):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
                    yield (node.end_lineno or 0) - first.lineno + 1, f"{path.relative_to(REPOSITORY)}:{node.name}"


def test_functions_are_short() -> None:
    """Median body at most 10 lines, nine in ten at most 30, none over 80."""
    sizes = sorted(longest_functions())
    assert sizes[len(sizes) // 2][0] <= 10
    assert sizes[int(len(sizes) * 0.9)][0] <= 30
    assert sizes[-1][0] <= 80, sizes[-1]


def test_modules_are_short() -> None:
    """A module holds one idea; past 450 lines it holds more."""
    long = {
        str(path.relative_to(REPOSITORY)): count
        for part in (*LINKED, *SPINE_FOLDERS, "training")
        for path in python_files(part)
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 450
    }
    assert not long
