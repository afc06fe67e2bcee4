"""Device profiles: how long each stage takes on a device, for the simulated clock."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final, Literal

import yaml
from pydantic import Field, ValidationError

from vedette.config import Section
from vedette.errors import ConfigError, FileFormatError, MissingDataError
from vedette.yaml_text import parse_yaml

PROFILE_SCHEMA: Final = "vedette.device-profile/1"
DEFAULT_PROFILE: Final = "x86-2core"
AGENT_STAGES: Final = ("predict", "detect2d", "associate", "lift", "update", "forecast", "decide", "relift")

Milliseconds = Annotated[float, Field(ge=0, lt=1e6)]


class EdgeTimes(Section):
    """Median milliseconds of each stage on the device."""

    predict: Milliseconds
    detect2d: Milliseconds
    associate: Milliseconds
    lift: Milliseconds
    update: Milliseconds
    forecast: Milliseconds
    decide: Milliseconds
    relift: Milliseconds = Field(description="Of each kept frame that is lifted again when a late answer is merged.")
    encode: Milliseconds
    detect3d: Milliseconds


class ServerTimes(Section):
    """Median milliseconds of each stage on the server."""

    decode: Milliseconds
    detect3d: Milliseconds


class DeviceProfile(Section):
    """How long each stage takes on a device and on the server that answers it."""

    schema_name: Literal["vedette.device-profile/1"] = Field(alias="schema")
    name: str = Field(min_length=1)
    device: str = Field(description="Processor, cores, memory, and what else shaped the times.")
    origin: str = Field(description="How the times came about: measured with which command, when; or scaled from what.")
    models: str = Field(description="Detectors whose times these are.")
    edge_ms: EdgeTimes
    cloud_ms: ServerTimes
    edge_detectors_ms: dict[str, Milliseconds] = Field(
        default_factory=dict, description="Of further models on the device, by name@version, for whoever runs those."
    )
    cloud_detectors_ms: dict[str, Milliseconds] = Field(default_factory=dict, description="Likewise on the server.")

    def agent_ms(self, detector2d: str | None, detector3d: str | None) -> dict[str, float]:
        """Milliseconds of the agent's stages by name.

        Args:
            detector2d: name of the 2D detector, with its version; None where there is none.
            detector3d: of the device's 3D detector; likewise.
        """
        times = self.edge_ms.model_dump()
        stages = {stage: times[stage] for stage in AGENT_STAGES}
        stages["detect2d"] = self.edge_detectors_ms.get(detector2d or "", self.edge_ms.detect2d)
        return stages | {"detect3d": self.edge_detect3d_ms(detector3d)}

    def edge_detect3d_ms(self, detector3d: str | None) -> float:
        """Milliseconds of one detection in a whole sweep on the device."""
        return self.edge_detectors_ms.get(detector3d or "", self.edge_ms.detect3d)

    def cloud_detect3d_ms(self, detector3d: str) -> float:
        """Milliseconds of one detection on the server."""
        return self.cloud_detectors_ms.get(detector3d, self.cloud_ms.detect3d)

    @property
    def timed(self) -> frozenset[str]:
        """Names of all models that it has times of."""
        return frozenset([*self.models.split(", "), *self.edge_detectors_ms, *self.cloud_detectors_ms])


def load_profile(path: Path | None) -> DeviceProfile:
    """Read a profile.

    Args:
        path: the name of one that comes with the package, or of a file; None takes that of this project's machine.

    Raises:
        MissingDataError: no such file.
        FileFormatError: not a profile; the message names the key.
    """
    name = DEFAULT_PROFILE if path is None else str(path)
    packaged = {one.name.removesuffix(".yaml"): one for one in files("vedette.replay").joinpath("profiles").iterdir()}
    try:
        place = packaged.get(name, Path(name))
        return _parse(place.read_text(encoding="utf-8"), Path(name))
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(sorted(packaged))
        raise MissingDataError(
            f"device profile {name} cannot be read: {error}; expected a file, or one of {known}"
        ) from error


def _parse(text: str, path: Path) -> DeviceProfile:
    try:
        document = parse_yaml(text)
    except ValueError as error:
        raise FileFormatError(path, met=f"no YAML ({error})", expected="a device profile") from error
    try:
        return DeviceProfile.model_validate(document)
    except ValidationError as error:
        problems = "; ".join(_problems(error))
        raise FileFormatError(path, met=problems, expected=f"a device profile of schema {PROFILE_SCHEMA}") from error


def _problems(error: ValidationError) -> Iterable[str]:
    for problem in error.errors():
        where = ".".join(str(part) for part in problem["loc"]) or "the file"
        yield f"{where}: {problem['msg']}"


def save_profile(profile: DeviceProfile, path: Path) -> None:
    """Write a profile file.

    Raises:
        ConfigError: the file cannot be written.
    """
    text = yaml.safe_dump(profile.model_dump(by_alias=True), sort_keys=False, allow_unicode=True, width=100)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot write the device profile to {path}: {error.strerror}") from error
