"""`vedette bench`: measure this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vedette.cli.options import ConfigOption, ModelsDirOption

app = typer.Typer(name="bench", help="Measure this machine.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keeps `profile` a sub-command while it is the only one."""


@app.command()
def profile(
    source: Annotated[
        str, typer.Argument(help="A recording with images and sweeps, as replay takes it.", show_default=False)
    ],
    *,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where to write the profile.")] = Path("profile.yaml"),
    name: Annotated[str, typer.Option(help="Of the device, as reports show it.")] = "this-machine",
    frames: Annotated[int, typer.Option(min=2, help="Frames to process; more make the medians steadier.")] = 24,
    anchor_interval: Annotated[
        int, typer.Option(min=1, help="Measure the 3D detector on every n-th frame; it is slow.")
    ] = 4,
    config: ConfigOption = None,
    models_dir: ModelsDirOption = None,
) -> None:
    """Measure how long each stage takes here, and write a device profile for `vedette replay --cloud simulated`.

    Let nothing else run meanwhile.

    Example: vedette bench profile kitti-tracking:~/kitti:0000 --out board.yaml --name orin-nano
    """
    from contextlib import closing

    from rich.table import Table

    from vedette.cli.output import text_console
    from vedette.config_loader import load_settings
    from vedette.datasets.source_spec import open_recording
    from vedette.models.registry import ModelRegistry
    from vedette.replay.measure_profile import ProfileBench
    from vedette.replay.profile import save_profile

    settings = load_settings(config, {"models.folder": models_dir})
    registry = ModelRegistry(settings.models.folder, settings.models.providers, settings.models.threads)
    choice = settings.edge.detector2d
    detector2d = registry.load_detector2d(choice.model, choice.score_threshold, choice.mask_model)
    edge3d = registry.load_detector3d(settings.edge.detector3d or settings.cloud.detector3d)
    cloud3d = registry.load_detector3d(settings.cloud.detector3d, full_circle=settings.cloud.full_circle)
    with closing(open_recording(source)) as recording:
        bench = ProfileBench(recording, settings, detector2d, edge3d, cloud3d, frames, anchor_interval)
        measured = bench.measure(name)
    save_profile(measured, out)
    table = Table("half", "stage", "median ms", title=measured.device, title_justify="left")
    for half, times in (("edge", measured.edge_ms), ("cloud", measured.cloud_ms)):
        for stage, median_ms in times.model_dump().items():
            table.add_row(half, stage, f"{median_ms:.2f}")
    console = text_console()
    console.print(table)
    console.print(f"{measured.origin}. Saved to {out}", soft_wrap=True)
