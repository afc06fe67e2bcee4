"""`vedette models import` and `pull`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vedette.cli.models_access import finish, registry_of, tell_stored
from vedette.cli.options import ConfigOption, ModelsDirOption

if TYPE_CHECKING:
    from rich.progress import Progress

    from vedette.models.cards import ModelCard
    from vedette.models.own_exports import OwnExport
    from vedette.models.preprocess_keys import Preprocess


def import_models(
    files: Annotated[list[Path], typer.Argument(help="ONNX files.", show_default=False)],
    *,
    name: Annotated[str | None, typer.Option(help="Store under this name instead of the card's.")] = None,
    version: Annotated[str | None, typer.Option(help="Store as this version instead of the card's.")] = None,
    family: Annotated[
        str | None,
        typer.Option(help="A 2D export of your own: yolox, nanodet_plus, nanodet or yolov8. Its card is written."),
    ] = None,
    classes: Annotated[
        str | None, typer.Option(metavar="NAME,NAME,...", help="With --family: its classes, in the model's order.")
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE|FILE",
            help="With --family: whose class names they are (coco, kitti, ...), or a file with a name a line.",
        ),
    ] = None,
    preprocess: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="With --family: where its input differs from the family's: channels, fit, pad, mean, deviation.",
        ),
    ] = None,
    licence: Annotated[str | None, typer.Option(help="With --family: of the weights.")] = None,
    card: Annotated[
        Path | None, typer.Option(help="Card of an export of your own; published files are recognised without.")
    ] = None,
    voxel_encoder: Annotated[
        Path | None,
        typer.Option(help="First file of a pillar network split at the scatter; FILES is then the second."),
    ] = None,
    models_dir: ModelsDirOption = None,
    config: ConfigOption = None,
) -> None:
    """Check ONNX files, run one frame, and copy them into the model folder. Doing it again changes nothing.

    Of several files, those that can be used are imported also when another cannot; the exit status is then 1.

    Examples:
    vedette models import nanodet_plus_m_1.5x_384x640.onnx point_gnn_car_T1.onnx
    vedette models import yolo11n.onnx --family yolov8 --licence AGPL-3.0
    vedette models import mine.onnx --family yolox --classes car,truck,person --preprocess channels=rgb
    vedette models import mine.onnx --card mine.yaml
    vedette models import pts_backbone_neck_head.onnx --voxel-encoder pts_voxel_encoder.onnx --card centerpoint.yaml
    """
    from vedette.errors import ConfigError, ModelError

    about_one = (name, version, family, classes, labels, preprocess, licence, card, voxel_encoder)
    if len(files) > 1 and any(about_one):
        raise ConfigError(
            f"{len(files)} files are given, and options that speak of one (--name, --version, --family and what goes"
            " with it, --card, --voxel-encoder): import them singly"
        )
    export = _export(family, classes, labels, preprocess or [], licence)
    if export is not None and (card or voxel_encoder):
        raise ConfigError("--family has a card written; --card and --voxel-encoder are for one that you have written")
    registry = registry_of(config, models_dir)
    complaints = []
    for file in files:
        try:
            stored = registry.import_file(file, name, card, version, voxel_encoder=voxel_encoder, export=export)
        except ModelError as error:
            if len(files) == 1:
                raise
            complaints.append(str(error))
        else:
            tell_stored(registry.store, stored)
            if export is not None and stored.preprocess is not None:
                _tell_what_was_decided(stored, stored.preprocess)
    finish(complaints)


def pull(
    name: Annotated[str, typer.Argument(help="Of the catalogue; an unknown one lists them.", show_default=False)],
    *,
    url: Annotated[str | None, typer.Option(help="Fetch from this mirror; the hash is checked all the same.")] = None,
    models_dir: ModelsDirOption = None,
    config: ConfigOption = None,
) -> None:
    """Fetch a published model, check its SHA-256, and import it.

    Where the catalogue has no hash of the publisher's file, it says how to import by hand what you download.

    Example: vedette models pull yolox-nano --url https://mirror.example/yolox_nano_416.onnx
    """
    from vedette.models.pulling import pull as pull_model

    registry = registry_of(config, models_dir)
    with _download_bar() as bar:
        task = bar.add_task(name, total=None)
        card = pull_model(
            registry, name, url, progress=lambda here, whole: bar.update(task, completed=here, total=whole)
        )
    tell_stored(registry.store, card)


def _export(
    family: str | None, classes: str | None, labels: str | None, preprocess: Sequence[str], licence: str | None
) -> OwnExport | None:
    """What the user says of an export; None where no family is given."""
    from vedette.errors import ConfigError
    from vedette.models.cards import FAMILY_TASK
    from vedette.models.class_names import TABLE_ORDER, read_names
    from vedette.models.own_exports import OwnExport
    from vedette.models.preprocess_keys import USUAL_PREPROCESS

    known = next((one for one in FAMILY_TASK if one == family and one in USUAL_PREPROCESS), None)
    if family is None:
        if classes is not None or labels is not None or preprocess or licence is not None:
            raise ConfigError("--classes, --labels, --preprocess and --licence go with --family")
        return None
    if known is None:
        raise ConfigError(f"--family {family}: expected one of {', '.join(USUAL_PREPROCESS)}; others need --card")
    table = next((one for one in TABLE_ORDER if one == labels), None)
    names = None if classes is None else tuple(one.strip() for one in classes.split(","))
    if labels is not None and table is None:
        if names is not None:
            raise ConfigError(f"--labels {labels} is a file of class names, and --classes gives them too: give one")
        names = read_names(Path(labels))
    return OwnExport(known, names, table, dict(map(_key_and_value, preprocess)), licence)


def _key_and_value(text: str) -> tuple[str, Any]:
    """`mean=1,2,3` as a key with three texts, which the card reads as numbers."""
    from vedette.errors import ConfigError

    key, sign, value = text.partition("=")
    if not sign:
        raise ConfigError(f"--preprocess {text}: expected KEY=VALUE, such as channels=rgb or mean=0,0,0")
    return key.strip(), value.split(",") if "," in value else value.strip()


def _tell_what_was_decided(card: ModelCard, keys: Preprocess) -> None:
    """What no shape could tell, so that nobody has to find out from worse boxes."""
    shown = card.classes if len(card.classes) <= 10 else (*card.classes[:3], f"... {len(card.classes)} in all")
    typer.echo(f"  {card.title}")
    typer.echo(f"  classes by the table {card.labels!r}: {', '.join(shown)}")
    typer.echo(
        f"  input: {keys.channels}, {keys.fit}, pad {keys.pad:g}, minus {_numbers(keys.mean)}, divided by"
        f" {_numbers(keys.deviation)} (another: --preprocess KEY=VALUE)"
    )
    typer.echo(f"  licence: {card.licence}")


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values) if len(set(values)) > 1 else f"{values[0]:g}"


def _download_bar() -> Progress:
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    from vedette.cli.output import text_console

    console = text_console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)
