"""Writes the card of a user's own 2D export, so that nobody has to: from its ONNX graph, and what the user adds."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from vedette.errors import ModelCardError, ModelLoadError
from vedette.models.cards import FAMILY_TASK, Family, Labels
from vedette.models.class_names import coco_names, require_known, table_for
from vedette.models.export_shapes import class_count, input_size_px
from vedette.models.preprocess_keys import USUAL_PREPROCESS
from vedette.models.sessions import metadata_of, signature_of

NOT_STATED: Final = "not stated"
_FAMILY_TITLES: Final[dict[str, str]] = {
    "nanodet": "NanoDet",
    "nanodet_plus": "NanoDet-Plus",
    "yolox": "YOLOX",
    "yolov8": "YOLOv8-style",
}
_YOLOX_WEIGHTS: Final = {
    "YOLOX-Nano": 0.91e6,
    "YOLOX-Tiny": 5.06e6,
    "YOLOX-S": 9.0e6,
    "YOLOX-M": 25.3e6,
    "YOLOX-L": 54.2e6,
    "YOLOX-X": 99.1e6,
}
"""Numbers of weights as published for 80 classes."""
_WEIGHT_BYTES: Final = 4
_NEAR: Final = 0.08  # share by which a file of one variant may be larger or smaller than its weights
_MAX_NAME: Final = 64
_COCO_CLASSES: Final = 80


@dataclass(frozen=True)
class OwnExport:
    """What a user says of an export.

    Args:
        family: one of those with the keys `preprocess`.
        names: of its classes, in their order; None for those in the file, or COCO's.
        labels: whose names they are; None for the table that knows them all.
        preprocess: keys that differ from the family's usual ones.
        licence: of the weights; None for not stated.
    """

    family: Family
    names: tuple[str, ...] | None = None
    labels: Labels | None = None
    preprocess: Mapping[str, Any] = field(default_factory=dict)
    licence: str | None = None

    def __post_init__(self) -> None:
        """Raises ModelCardError: a family whose card cannot be written from the file."""
        if self.family not in USUAL_PREPROCESS:
            raise ModelCardError(
                f"family {self.family}: needs a card (--card CARD.yaml); those that need none are"
                f" {', '.join(USUAL_PREPROCESS)}"
            )


def card_of_export(path: Path, export: OwnExport) -> dict[str, Any]:
    """The keys of a card, but for the hash.

    Args:
        path: the ONNX file.
        export: what its owner says.

    Raises:
        ModelLoadError: the runtime refuses the file, or its shapes are not the family's.
        ModelCardError: there are no names for its classes, or names that map to nothing.
    """
    inputs, outputs = signature_of(path)
    metadata = metadata_of(path)
    if metadata.get("task", "detect") != "detect":
        raise ModelLoadError(f"{path}: is an export for the task {metadata['task']!r}; expected 'detect'")
    size_px = input_size_px(path, inputs)
    names = export.names or _names_in(metadata)
    count = class_count(path, export.family, outputs, size_px, None if names is None else len(names))
    classes = _checked_names(path, names, count)
    if export.labels is not None:
        require_known(classes, export.labels)
    return {
        "schema_version": 1,
        "name": _name_of(path),
        "version": "1",
        "title": f"{_variant(path, export.family)}, input {size_px[0]}x{size_px[1]}",
        "family": export.family,
        "task": FAMILY_TASK[export.family],
        "inputs": inputs,
        "outputs": outputs,
        "labels": export.labels or table_for(classes),
        "classes": classes,
        "frame": "image, x right, y down, origin at the upper left corner of the upper left pixel",
        "units": "pixels; input as `preprocess` says",
        "training_data": NOT_STATED,
        "training_recipe": NOT_STATED,
        "licence": export.licence or NOT_STATED,
        "source": f"an export of the user's own, {path.name}",
        "file": path.name,
        "preprocess": dict(export.preprocess),
    }


def _checked_names(path: Path, names: tuple[str, ...] | None, count: int | None) -> tuple[str, ...]:
    """Names for all classes; COCO's where there are 80 and nobody says otherwise, or where only names could tell."""
    if names is None and count in {_COCO_CLASSES, None}:
        return coco_names()
    if names is None:
        raise ModelCardError(
            f"{path}: has {count} classes and no names for them ({_COCO_CLASSES} would be COCO's: see that --family is"
            " right); give --classes NAME,NAME,... or --labels FILE with a name a line, in the order of the model's"
            " classes"
        )
    if count is not None and len(names) != count:
        raise ModelCardError(f"{path}: has {count} classes; {len(names)} names are given: {', '.join(names[:10])}")
    return names


def _names_in(metadata: Mapping[str, str]) -> tuple[str, ...] | None:
    """The names that ultralytics' exporter writes into the file: a mapping from numbers, as Python writes it."""
    try:
        names = ast.literal_eval(metadata.get("names", ""))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    if not isinstance(names, dict) or sorted(names) != list(range(len(names))) or not names:
        return None
    return tuple(str(names[number]) for number in range(len(names)))


def _variant(path: Path, family: Family) -> str:
    """YOLOX's by the size of the file, the family for others."""
    weights = path.stat().st_size / _WEIGHT_BYTES
    if family == "yolox":
        for title, published in _YOLOX_WEIGHTS.items():
            if abs(weights / published - 1) < _NEAR:
                return title
    return _FAMILY_TITLES[family]


def _name_of(path: Path) -> str:
    """The file's name in the letters that a model's name has."""
    return re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-")[:_MAX_NAME].strip("-") or "own"
