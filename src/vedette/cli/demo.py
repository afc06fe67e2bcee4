"""`vedette demo`: the main job on a real street scene, from nothing to a report in one command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from vedette.cli.options import ConfigOption
from vedette.errors import MissingDataError

UNPACKER: Final = Path("kitti/unpack.py")
WEIGHTS: Final = (Path("weights/nanodet_plus_m_1.5x_384x640.onnx"), Path("weights/point_gnn_car_T1.onnx"))
SEQUENCE: Final = "0001:0-24"

DataOption = Annotated[
    Path, typer.Option("--data", metavar="DIR", help="Folder with kitti/unpack.py and weights/ (see docs/data.md).")
]
TreeOption = Annotated[Path, typer.Option("--tree", metavar="DIR", help="Where the recording is unpacked.")]
OutOption = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the report is saved.")]


def demo(
    data: DataOption = Path("../shared/data"),
    tree: TreeOption = Path("build/kitti"),
    out: OutOption = Path("runs/demo"),
    config: ConfigOption = None,
) -> None:
    """Replay 25 frames of a real street through an edge agent and a cloud server of their own process.

    Needs a recording and two pretrained models, which may not be shipped with the program; says what is missing.
    """
    from vedette.cli.replay import replay

    missing = missing_parts(data)
    if missing:
        typer.echo(_explain(data, missing))
        return
    unpack(data, tree)
    import_models(data, config)
    replay(f"kitti-tracking:{tree}:{SEQUENCE}", out=out, config=config)


def missing_parts(data: Path) -> list[Path]:
    """What the demo needs and does not find.

    Args:
        data: the folder that should hold it.
    """
    return [data / part for part in (UNPACKER, *WEIGHTS) if not (data / part).is_file()]


def unpack(data: Path, tree: Path) -> None:
    """Make a plain KITTI tree of the packed recording; what is there already is kept.

    Args:
        data: folder with the packed recording.
        tree: where to write.

    Raises:
        MissingDataError: the recording cannot be unpacked.
    """
    command = [sys.executable, str(data / UNPACKER), str(tree), "--only", "tracking"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise MissingDataError(f"{data / UNPACKER} failed: {result.stderr.strip() or result.stdout.strip()}")


def import_models(data: Path, config: Path | None) -> None:
    """Import the two models that the demo runs; doing so again changes nothing.

    Args:
        data: folder with ``weights/``.
        config: settings file; tells the model folder.

    Raises:
        ModelError: a file is not what its name says.
    """
    from vedette.config_loader import load_settings
    from vedette.models.registry import ModelRegistry

    registry = ModelRegistry(load_settings(config).models.folder)
    for weights in WEIGHTS:
        registry.import_file(data / weights)


def _explain(data: Path, missing: list[Path]) -> str:
    return "\n".join(
        [
            "Nothing to show yet: the demo replays a real recording, and this machine lacks",
            *(f"  {path}" for path in missing),
            f"Put them under {data}, or name another folder with --data.",
            "With a KITTI recording and models of your own: vedette models import FILE.onnx, then",
            "  vedette replay kitti-tracking:DIR:SEQ --out runs/first",
        ]
    )
