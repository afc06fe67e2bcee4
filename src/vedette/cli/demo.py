"""`vedette demo`: the main job on a street of our own making, from nothing to a report in one command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from vedette.cli.options import ConfigOption

NETWORK: Final = "fading:1,mean=6mbps,spread=0.5,outage=0.03,delay=25ms"
"""Like the uplink of a car in an LTE cell: a few Mbit/s that come and go, and now and then nothing for a second."""
DETECTOR_2D: Final = "camera2d-world"
EDGE_DETECTOR_3D: Final = "pillars-nano-synth"
CLOUD_DETECTOR_3D: Final = "pillars-large-synth"

FramesOption = Annotated[int, typer.Option(min=2, max=600, help="Length of the drive, ten frames a second.")]
SeedOption = Annotated[int, typer.Option(min=0, max=10**18 - 1, help="Another seed, another town.")]
OutOption = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the report is saved.")]


def demo(
    frames: FramesOption = 60, seed: SeedOption = 21, out: OutOption = Path("runs/demo"), config: ConfigOption = None
) -> None:
    """Drive through a generated town, with an edge agent here, a cloud server beside it and a mobile network between.

    Needs no data and no downloads: street, traffic, LiDAR and camera are made from the seed, and the models that see
    them come with the program.

    Example: vedette demo --seed 7 --frames 100
    """
    from vedette.cli.replay import replay

    typer.echo(f"Making {frames} frames of a town and replaying them under three policies; this takes some minutes.")
    replay(
        f"synth:town:{seed}:0-{frames - 1}",
        network=NETWORK,
        detector2d=DETECTOR_2D,
        detector3d=CLOUD_DETECTOR_3D,
        edge_detector3d=EDGE_DETECTOR_3D,
        out=out,
        config=config,
    )
