"""The card beside a model: what it takes, what it gives, where it comes from, and what it was measured to do.

A card is a YAML file, `card.yaml`, next to `model.onnx`. Cards of a newer schema and unknown keys are refused: a build
that does not understand a card would misread the model's output.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from vedette.errors import ModelCardError
from vedette.models.pillar_keys import SplitPillars
from vedette.models.preprocess_keys import USUAL_PREPROCESS, Preprocess, with_usual_preprocess
from vedette.paths import may_never_end
from vedette.yaml_text import parse_yaml

SCHEMA_VERSION: Final = 1
"""Of the card; raised when a key changes its meaning."""

Family = Literal[
    "nanodet", "nanodet_plus", "yolox", "yolov8", "camera2d", "deeplab", "point_gnn", "pillars", "split_pillars"
]
Labels = Literal["coco", "kitti", "nuscenes", "autoware", "cityscapes", "vedette"]
Task = Literal["detect2d", "segment", "detect3d"]
FAMILY_TASK: Final[dict[Family, Task]] = {
    "nanodet": "detect2d",
    "nanodet_plus": "detect2d",
    "yolox": "detect2d",
    "yolov8": "detect2d",
    "camera2d": "detect2d",
    "deeplab": "segment",
    "point_gnn": "detect3d",
    "pillars": "detect3d",
    "split_pillars": "detect3d",
}
"""What the runtime of each family does."""

Name = Annotated[str, Field(pattern=r"^[a-z0-9]+([._-][a-z0-9]+)*$", max_length=64)]
Version = Annotated[str, Field(pattern=r"^[0-9]+(\.[0-9]+)*$", max_length=32)]
Text = Annotated[str, Field(min_length=1, pattern=r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$")]
"""Without control characters, which a terminal would obey."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class TensorSpec(_Part):
    """One input or output of the ONNX graph."""

    name: Text = Field(description="As in the graph.")
    dtype: Literal["float32", "int64"]
    shape: tuple[int | Text, ...] = Field(description="A number is fixed; a word is a length that varies.")


class Companion(_Part):
    """A further ONNX file of a model, stored beside `model.onnx` as `<name>.onnx`."""

    name: Literal["voxel_encoder"]
    inputs: tuple[TensorSpec, ...] = Field(min_length=1)
    outputs: tuple[TensorSpec, ...] = Field(min_length=1)
    file: Text = Field(description="Name of the file as published.")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class Accuracy(_Part):
    """One measured figure."""

    metric: Text = Field(description="Its definition in words or as a metric key.")
    value: float = Field(description="0 to 100 for shares.")
    data: Text = Field(description="What it was measured on; says so when the model was trained on it.")
    command: Text = Field(description="What to run to measure it again.")


class ModelCard(_Part):
    """Everything that must be known to use a model rightly."""

    schema_version: Literal[1]
    name: Name
    version: Version = Field(description="Numbers with dots; the highest is used unless one is asked for.")
    title: Text
    family: Family = Field(description="Which runtime of ours prepares its input and reads its output.")
    task: Task
    inputs: tuple[TensorSpec, ...] = Field(min_length=1)
    outputs: tuple[TensorSpec, ...] = Field(min_length=1)
    labels: Labels = Field(description="Whose names `classes` uses: they are mapped to ours by the table of that name.")
    classes: tuple[Text, ...] = Field(min_length=1, description="In the order of the output's channels.")
    frame: Text = Field(description="Coordinate frame of input and output.")
    units: Text = Field(description="Of input and output.")
    range_m: float | None = Field(None, gt=0, description="How far it was trained to see; none for image models.")
    training_data: Text
    training_recipe: Text
    licence: Text
    source: Text = Field(description="Where the file was published, or who exported it from what.")
    file: Text = Field(description="Name of the file as published.")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="Of model.onnx.")
    companions: tuple[Companion, ...] = Field((), description="Further files, for families that have them.")
    preprocess: Preprocess | None = Field(
        None, description="From image to input, for families of boxes in images; what is left out is as usual there."
    )
    mirrored: bool = Field(
        False, description="Family pillars: also looks at the scene with left and right swapped, in twice the time."
    )
    split_pillars: SplitPillars | None = Field(None, description="Keys of the family of that name.")
    accuracy: tuple[Accuracy, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, values: Any) -> Any:
        if not isinstance(values, Mapping):
            return values
        if values.get("preprocess") is not None and values.get("family") not in USUAL_PREPROCESS:
            raise ValueError(
                f"family {values.get('family')} has no keys preprocess; {', '.join(USUAL_PREPROCESS)} have"
            )
        return with_usual_preprocess(values)

    @model_validator(mode="after")
    def _task_fits_family(self) -> ModelCard:
        if self.task != FAMILY_TASK[self.family]:
            raise ValueError(f"family {self.family} does {FAMILY_TASK[self.family]}, not {self.task}")
        return self

    @model_validator(mode="after")
    def _keys_fit_family(self) -> ModelCard:
        if self.family != "split_pillars" and (self.split_pillars is not None or self.companions):
            raise ValueError(f"family {self.family} has no keys split_pillars and companions; split_pillars has")
        return self

    @property
    def label(self) -> str:
        """Name and version, as reports show it."""
        return f"{self.name}@{self.version}"

    @property
    def version_key(self) -> tuple[int, ...]:
        """Sorts versions by number: 1.10 after 1.9."""
        return version_key(self.version)


def version_key(version: str) -> tuple[int, ...]:
    """A version as numbers, for sorting.

    Args:
        version: numbers with dots.
    """
    return tuple(int(number) for number in version.split("."))


def read_card(
    path: Path, defaults: Mapping[str, Any] | None = None, overrides: Mapping[str, str] | None = None
) -> ModelCard:
    """Read and check a card.

    Args:
        path: the YAML file.
        defaults: values for keys that the file does not have.
        overrides: values that replace the file's.

    Raises:
        ModelCardError: it cannot be read, is of another schema, has unknown or missing keys, or a value is wrong.
    """
    if may_never_end(path):
        raise ModelCardError(f"{path}: neither file nor folder but a pipe or a device; expected a YAML file")
    try:
        document = parse_yaml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelCardError(f"{path}: no such card; expected a YAML file beside model.onnx") from None
    except (OSError, ValueError) as error:
        raise ModelCardError(f"{path}: cannot be read as YAML: {_one_line(error)}") from error
    if not isinstance(document, dict):
        raise ModelCardError(f"{path}: holds a {type(document).__name__}; expected the keys of a model card")
    _check_schema(path, document.get("schema_version"))
    return checked_card({**(defaults or {}), **document, **(overrides or {})}, path)


def checked_card(values: Mapping[str, Any], path: Path) -> ModelCard:
    """A card of these values.

    Args:
        values: by key.
        path: named in errors.

    Raises:
        ModelCardError: unknown or missing keys, or a value is wrong.
    """
    try:
        return ModelCard.model_validate(values)
    except ValidationError as error:
        raise ModelCardError(f"{path}: {_explain(error)}") from error


def check_label(name: str, version: str) -> None:
    """See that a card may have a name and a version, before long work that ends in a card.

    Args:
        name: of the model.
        version: of the model.

    Raises:
        ModelCardError: it may not.
    """
    for key, kind, value in (("name", Name, name), ("version", Version, version)):
        try:
            TypeAdapter(kind).validate_python(value)
        except ValidationError as error:
            raise ModelCardError(f"{key} {value[:100]!r}: {error.errors()[0]['msg']}") from error


def card_as_yaml(card: ModelCard) -> str:
    """A card in the form that `read_card` reads, keys in the order of the class.

    Args:
        card: what to write.
    """
    return yaml.safe_dump(card.model_dump(mode="json"), sort_keys=False, allow_unicode=True, width=100)


def _check_schema(path: Path, met: Any) -> None:
    if met == SCHEMA_VERSION and type(met) is int:
        return
    if isinstance(met, int) and met > SCHEMA_VERSION:
        raise ModelCardError(
            f"{path}: card of schema {met}; this build understands {SCHEMA_VERSION}: update vedette, or import an"
            " older release of the model"
        )
    raise ModelCardError(f"{path}: schema_version is {met!r}; expected {SCHEMA_VERSION}")


def _explain(error: ValidationError) -> str:
    """All complaints on one line, each with the key it is about."""
    complaints = []
    for problem in error.errors():
        key = ".".join(str(part) for part in problem["loc"]) or "card"
        complaints.append(f"{key}: {problem['msg']}{_what_would_be_right(problem['type'], problem['loc'])}")
    return "; ".join(complaints)


def _what_would_be_right(complaint: str, place: tuple[int | str, ...]) -> str:
    if complaint == "extra_forbidden":
        return f"; known keys: {', '.join(_part_at(place[:-1]).model_fields)}"
    return "; expected several values in brackets: [1, 2, 3]" if complaint == "tuple_type" else ""


def _part_at(place: tuple[int | str, ...]) -> type[BaseModel]:
    """The part of a card that the keys lead to; numbers, which count the entries of a list, lead nowhere further."""
    part: type[BaseModel] = ModelCard
    for key in place:
        if isinstance(key, str):
            held = part.model_fields[key].annotation
            kinds = (one for one in (held, *_parameters(held)) if isinstance(one, type))
            part = next(one for one in kinds if issubclass(one, BaseModel))
    return part


def _parameters(held: Any) -> Iterator[Any]:
    for one in get_args(held):
        yield one
        yield from _parameters(one)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
