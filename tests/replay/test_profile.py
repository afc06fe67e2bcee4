"""Device profiles on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from vedette.errors import FileFormatError, MissingDataError
from vedette.replay.profile import AGENT_STAGES, load_profile, save_profile


def test_the_packaged_one_loads() -> None:
    """The profile that comes with the package is sound and says where it comes from."""
    profile = load_profile(None)
    assert "vedette bench profile" in profile.origin
    assert tuple(profile.agent_ms) == AGENT_STAGES


@pytest.mark.parametrize("name", ["x86-2core", "x86-2core-point-gnn"])
def test_those_that_come_with_the_package_have_names(name: str) -> None:
    """Which are their file's."""
    assert load_profile(Path(name)).name == name


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_lies_about_does_not_stand_in_for_one_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Neither a file nor a folder of its name; a file is read by its full path."""
    monkeypatch.chdir(tmp_path)
    mine, place = load_profile(None).model_copy(update={"name": "mine"}), tmp_path / "x86-2core"
    if kind == "file":
        save_profile(mine, place)
        assert load_profile(place) == mine
    else:
        place.mkdir()
    assert load_profile(None).name == load_profile(Path("x86-2core")).name == "x86-2core"


def test_written_then_read_is_the_same(tmp_path: Path) -> None:
    """Round trip through a file."""
    profile = load_profile(None)
    save_profile(profile, tmp_path / "p.yaml")
    assert load_profile(tmp_path / "p.yaml") == profile


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "vedette.device-profile/2"}, "schema"),
        ({"edge_ms": {"predict": 1}}, "edge_ms.detect2d: Field required"),
        ({"cloud_ms": {"decode": -1, "detect3d": 5}}, "cloud_ms.decode"),
        ({"color": "red"}, "color: Extra inputs"),
    ],
)
def test_refuses_other_content(tmp_path: Path, change: dict[str, object], message: str) -> None:
    """A wrong profile is refused with the key that is wrong."""
    path = tmp_path / "p.yaml"
    save_profile(load_profile(None), path)
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text(encoding="utf-8")) | change), encoding="utf-8")
    with pytest.raises(FileFormatError) as caught:
        load_profile(path)
    assert message in str(caught.value)


def test_refuses_missing_and_malformed(tmp_path: Path) -> None:
    """No file, no YAML, and YAML that is no mapping."""
    with pytest.raises(
        MissingDataError, match=r"cannot be read.*expected a file, or one of x86-2core, x86-2core-point-gnn"
    ):
        load_profile(tmp_path / "none.yaml")
    for text in ("{", "- 1\n", "", "name: 2011-99-99\n"):
        (tmp_path / "p.yaml").write_text(text, encoding="utf-8")
        with pytest.raises(FileFormatError):
            load_profile(tmp_path / "p.yaml")
