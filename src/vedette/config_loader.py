"""Loads the settings from their four sources, and says where each value came from."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict

from vedette.config import Settings
from vedette.errors import ConfigError
from vedette.yaml_text import parse_yaml

ENVIRONMENT_PREFIX: Final = "VEDETTE_"
CONFIG_PATH_VARIABLE: Final = "VEDETTE_CONFIG"

Tree = dict[str, Any]


class _EnvironmentView(BaseSettings, Settings):
    """The shape in which pydantic-settings reads the environment."""

    model_config = SettingsConfigDict(env_prefix=ENVIRONMENT_PREFIX, env_nested_delimiter="__", extra="forbid")


def load_settings(path: Path | None = None, overrides: Mapping[str, Any] | None = None) -> Settings:
    """The effective settings.

    Args:
        path: a YAML file; None takes the one named by ``VEDETTE_CONFIG``, if any.
        overrides: values from command-line flags by dotted name (``edge.offload.interval``); None values are skipped.

    Raises:
        ConfigError: a file that cannot be read, an unknown key or a value out of range; the message names the source.
    """
    return load_settings_with_origins(path, overrides)[0]


def load_settings_with_origins(
    path: Path | None = None, overrides: Mapping[str, Any] | None = None
) -> tuple[Settings, dict[str, str]]:
    """The effective settings, and for each dotted name where its value came from.

    Args:
        path: as in `load_settings`.
        overrides: as in `load_settings`.

    Raises:
        ConfigError: as in `load_settings`.
    """
    layers = [*_file_layer(path), ("environment", _environment_tree()), ("flag", _tree_from_dotted(overrides or {}))]
    merged: Tree = {}
    origins: dict[str, str] = {}
    for origin, tree in layers:
        _validate(tree, origin)
        _merge(merged, tree)
        origins.update({name: origin for name, _ in _leaves(tree)})
    settings = _validate(merged, "the combination of file, environment and flags")
    return settings, {name: origins.get(name, "default") for name, _ in _leaves(settings.model_dump())}


def settings_as_yaml(settings: Settings) -> str:
    """The settings in the form of a file that `load_settings` reads back to equal settings."""
    return yaml.safe_dump(settings.model_dump(mode="json"), sort_keys=False)


def flatten(settings: Settings) -> dict[str, Any]:
    """Every value by its dotted name, as plain JSON types."""
    return dict(_leaves(settings.model_dump(mode="json")))


def _file_layer(path: Path | None) -> list[tuple[str, Tree]]:
    if path is None:
        named = os.environ.get(CONFIG_PATH_VARIABLE)
        if not named:
            return []
        path = Path(named)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the configuration {path}: {error}") from error
    try:
        tree = parse_yaml(text)
    except ValueError as error:
        raise ConfigError(f"{path} is not YAML: {error}") from error
    if tree is None:
        return []
    if not isinstance(tree, dict):
        raise ConfigError(f"{path} holds a {type(tree).__name__}; expected sections such as 'edge:'")
    return [(str(path), tree)]


def _environment_tree() -> Tree:
    """Only what the environment sets, with unknown names refused."""
    known = {f"{ENVIRONMENT_PREFIX}{name.upper()}" for name in Settings.model_fields}
    for variable in sorted(os.environ):
        if not variable.upper().startswith(ENVIRONMENT_PREFIX) or variable.upper() == CONFIG_PATH_VARIABLE:
            continue
        if variable.upper().split("__")[0] not in known:
            raise ConfigError(
                f"environment variable {variable} sets nothing; names look like VEDETTE_EDGE__OFFLOAD__INTERVAL"
                f" and start with one of {', '.join(sorted(known))}"
            )
    try:
        return dict(EnvSettingsSource(_EnvironmentView)())
    except ValueError as error:
        raise ConfigError(f"environment: {error}") from error


def _tree_from_dotted(values: Mapping[str, Any]) -> Tree:
    tree: Tree = {}
    for name, value in values.items():
        if value is None:
            continue
        *sections, key = name.split(".")
        node = tree
        for section in sections:
            node = node.setdefault(section, {})
        node[key] = value
    return tree


def _merge(base: Tree, over: Tree) -> None:
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            _merge(base[key], value)
        elif isinstance(value, dict):
            base[key] = {}
            _merge(base[key], value)
        else:
            base[key] = value


def _validate(tree: Tree, origin: str) -> Settings:
    try:
        return Settings.model_validate(tree)
    except ValidationError as error:
        raise ConfigError(f"{origin}: " + "; ".join(_explain(problem) for problem in error.errors())) from error


def _explain(problem: Any) -> str:
    name = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        siblings = ", ".join(_known_keys(problem["loc"][:-1]))
        return f"unknown setting {name!r}; known there: {siblings}"
    return f"setting {name!r} is {problem['input']!r}: {problem['msg']}"


def _known_keys(location: tuple[Any, ...]) -> list[str]:
    model: type[BaseModel] = Settings
    for part in location:
        annotation = model.model_fields[str(part)].annotation
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            return []
        model = annotation
    return sorted(model.model_fields)


def _leaves(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def describe(model: type[BaseModel] = Settings, prefix: str = "") -> dict[str, str]:
    """What each setting means, by dotted name."""
    meanings: dict[str, str] = {}
    for key, field in model.model_fields.items():
        section = field.annotation
        if isinstance(section, type) and issubclass(section, BaseModel):
            meanings.update(describe(section, f"{prefix}{key}."))
        else:
            meanings[f"{prefix}{key}"] = field.description or ""
    return meanings
