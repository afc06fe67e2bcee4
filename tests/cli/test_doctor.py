"""`vedette doctor` finds what is wrong and says what to do about it."""

from __future__ import annotations

import importlib
import importlib.metadata
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

from vedette.cli.doctor import Finding, examine
from vedette.cli.main import app
from vedette.config import EdgeConfig, ModelsConfig, Settings


def settings(tmp_path: Path, providers: tuple[str, ...] = ("CPUExecutionProvider",)) -> Settings:
    return Settings(models=ModelsConfig(folder=tmp_path / "models", providers=providers, threads=1))


def finding(tmp_path: Path, subject: str, **kwargs: tuple[str, ...]) -> Finding:
    return next(item for item in examine(settings(tmp_path, **kwargs)) if item.subject == subject)


def test_a_machine_without_models_is_told_to_import_them(tmp_path: Path) -> None:
    """The detail is the next step, and the exit status says that something is wrong."""
    found = finding(tmp_path, "2D detector")
    assert not found.healthy
    assert "vedette models import" in found.detail
    result = CliRunner().invoke(app, ["doctor"], env={"VEDETTE_MODELS__FOLDER": str(tmp_path), "COLUMNS": "200"})
    assert result.exit_code == 1


def test_a_model_of_the_devices_own_is_looked_for_too(tmp_path: Path) -> None:
    """Where one is named; without one the device has the cloud's."""
    plain = settings(tmp_path).model_copy(update={"edge": EdgeConfig(detector3d=None)})
    named = plain.model_copy(update={"edge": EdgeConfig(detector3d="none-such")})
    subjects = [[item.subject for item in examine(one)].count("3D detector on the device") for one in (plain, named)]
    assert subjects == [0, 1]
    found = next(item for item in examine(named) if item.subject == "3D detector on the device")
    assert not found.healthy
    assert "none-such" in found.detail


def test_providers_that_are_not_offered_are_named(tmp_path: Path) -> None:
    """The rest still works."""
    found = finding(tmp_path, "execution providers", providers=("NoSuchProvider", "CPUExecutionProvider"))
    assert found.healthy
    assert found.detail == "using CPUExecutionProvider; skipping NoSuchProvider"


def test_no_usable_provider_is_a_fault(tmp_path: Path) -> None:
    """Nothing could run."""
    found = finding(tmp_path, "execution providers", providers=("NoSuchProvider",))
    assert not found.healthy
    assert "set models.providers" in found.detail


@pytest.mark.parametrize(
    ("subject", "module", "library"), [("opencv", "cv2", "libGL.so.1"), ("open3d", "open3d", "libusb-1.0.so.0")]
)
def test_missing_system_libraries_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subject: str, module: str, library: str
) -> None:
    """The usual failure on a bare image."""
    real = importlib.import_module

    def import_module(name: str, package: str | None = None) -> ModuleType:
        if name == module:
            raise ImportError(f"{library}: cannot open shared object file")
        return real(name, package)

    monkeypatch.setattr(importlib.metadata, "version", lambda name: "1")
    monkeypatch.setattr(importlib, "import_module", import_module)
    found = finding(tmp_path, subject)
    assert not found.healthy
    assert library in found.detail
    assert "system packages" in found.detail


def test_open3d_is_optional(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it a device is well; what brings it is said."""
    real = importlib.metadata.version

    def version(name: str) -> str:
        if name == "open3d":
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    found = finding(tmp_path, "open3d")
    assert found.healthy
    assert "vedette[world]" in found.detail


def test_two_builds_of_one_module_are_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """onnxruntime and onnxruntime-gpu overwrite each other's files."""
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "1")
    found = finding(tmp_path, "packages")
    assert not found.healthy
    assert "onnxruntime and onnxruntime-gpu" in found.detail


def test_checking_writes_nothing(tmp_path: Path) -> None:
    """A look at the machine does not change it."""
    list(examine(settings(tmp_path)))
    assert list(tmp_path.iterdir()) == []
