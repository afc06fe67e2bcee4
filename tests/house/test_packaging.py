"""What an installed package holds."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
WEIGHTS = "vedette/models/weights"
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.egg-info")


@pytest.fixture(scope="module")
def wheel_files(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names in a wheel built from the source tree, with a fine-tuned model of its own in it."""
    work = tmp_path_factory.mktemp("wheel")
    for name in ("src", "models"):
        shutil.copytree(REPOSITORY / name, work / "source" / name, symlinks=True, ignore=_LEFT_OUT)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(REPOSITORY / name, work / "source" / name)
    tuned = work / "source/models/weights/pillars-nano-kitti/7"
    tuned.mkdir(parents=True)
    (tuned / "card.yaml").touch()
    (tuned / "model.onnx").touch()
    build = f"from setuptools.build_meta import build_wheel; build_wheel({str(work)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=work / "source", check=True, capture_output=True)
    (wheel,) = work.glob("*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


def test_weights_that_are_free_to_use_come_with_the_wheel(wheel_files: set[str]) -> None:
    free = [
        card.parent
        for card in (REPOSITORY / "models/weights").glob("*/*/card.yaml")
        if "commercial" not in yaml.safe_load(card.read_text(encoding="utf-8"))["licence"]
    ]
    assert free
    for folder in free:
        place = f"{WEIGHTS}/{folder.parent.name}/{folder.name}"
        assert {f"{place}/card.yaml", f"{place}/model.onnx"} <= wheel_files


def test_weights_that_are_not_for_commerce_stay_out_of_the_wheel(wheel_files: set[str]) -> None:
    assert not [name for name in wheel_files if "-kitti" in name]
