"""`vedette doctor`: is this machine ready, and if not, what is the next step?"""

from __future__ import annotations

import importlib
import importlib.metadata
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import typer

from vedette.cli.options import ConfigOption
from vedette.config import Settings
from vedette.paths import path_from_user

MINIMUM_FREE_BYTES: Final = 500_000_000


@dataclass(frozen=True)
class Finding:
    """What one check found.

    Args:
        subject: what was looked at.
        healthy: whether it is as it should be.
        detail: what was met, and the next step where something is wrong.
    """

    subject: str
    healthy: bool
    detail: str


def doctor(config: ConfigOption = None) -> None:
    """Check this machine: interpreter, libraries, runtimes, models, disk. Exit status 1 when something is wrong.

    Example: vedette doctor
    """
    from rich.table import Table
    from rich.text import Text

    from vedette.cli.output import text_console
    from vedette.config_loader import load_settings

    findings = list(examine(load_settings(config)))
    table = Table("", "checked", "found")
    for finding in findings:
        mark = Text("ok", style="green") if finding.healthy else Text("no", style="red")
        table.add_row(mark, finding.subject, finding.detail)
    text_console().print(table)
    if not all(finding.healthy for finding in findings):
        raise typer.Exit(1)


def examine(settings: Settings) -> Iterator[Finding]:
    """Run every check.

    Args:
        settings: tell the model folder, the models in use and the execution providers wanted.
    """
    yield Finding("python", sys.version_info >= (3, 11), sys.version.split()[0])
    yield _opencv()
    yield _open3d(_is_installed("open3d"))
    yield _runtime_conflict(_is_installed)
    yield _providers(settings.models.providers)
    yield from _models(settings)
    yield _disk(settings)


def _opencv() -> Finding:
    try:
        version = importlib.import_module("cv2").__version__
    except ImportError as error:
        return Finding("opencv", False, f"{error}; install the system packages libgl1 and libglib2.0-0")
    return Finding("opencv", True, version)


def _open3d(installed: bool) -> Finding:
    """Optional: only generated worlds need it."""
    if not installed:
        return Finding("open3d", True, "not installed; generated worlds need it: pip install 'vedette[world]'")
    try:
        version = importlib.import_module("open3d").__version__
    except (ImportError, OSError) as error:
        detail = f"{error}; install the system packages libgl1, libusb-1.0-0, libgomp1 and libx11-6"
        return Finding("open3d", False, detail)
    return Finding("open3d", True, version)


def _is_installed(distribution: str) -> bool:
    try:
        importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _runtime_conflict(is_installed: Callable[[str], bool]) -> Finding:
    """Two distributions that install one module overwrite each other's files."""
    pairs = (("onnxruntime", "onnxruntime-gpu"), ("opencv-python", "opencv-python-headless"))
    clashes = [f"{a} and {b}" for a, b in pairs if is_installed(a) and is_installed(b)]
    if clashes:
        return Finding("packages", False, f"{'; '.join(clashes)} install the same module: uninstall both, install one")
    return Finding("packages", True, "no two that overwrite each other")


def _providers(wanted: tuple[str, ...]) -> Finding:
    import onnxruntime

    offered = onnxruntime.get_available_providers()
    usable = [provider for provider in wanted if provider in offered]
    missing = [provider for provider in wanted if provider not in offered]
    detail = f"using {', '.join(usable)}" if usable else f"none of {', '.join(wanted)} is offered; set models.providers"
    return Finding(
        "execution providers", bool(usable), detail + (f"; skipping {', '.join(missing)}" if missing else "")
    )


def _models(settings: Settings) -> Iterator[Finding]:
    from vedette.errors import ModelError
    from vedette.models.registry import ModelRegistry

    registry = ModelRegistry(settings.models.folder, settings.models.providers, settings.models.threads)
    roles = {"2D detector": settings.edge.detector2d.model, "3D detector": settings.cloud.detector3d}
    if settings.edge.detector3d is not None:
        roles["3D detector on the device"] = settings.edge.detector3d
    for role, name in roles.items():
        try:
            stored = registry.store.find(name)
            stored.verify()
        except ModelError as error:
            yield Finding(role, False, str(error))
        else:
            yield Finding(role, True, f"{stored.card.label}, hash verified")


def _disk(settings: Settings) -> Finding:
    folder = path_from_user(settings.models.folder)
    while not folder.exists():
        folder = folder.parent
    free_bytes = shutil.disk_usage(folder).free
    return Finding("disk", free_bytes >= MINIMUM_FREE_BYTES, f"{free_bytes / 1e9:.1f} GB free at {folder}")
