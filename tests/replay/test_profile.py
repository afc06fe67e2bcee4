"""Device profiles on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from vedette.errors import FileFormatError, MissingDataError
from vedette.replay.profile import AGENT_STAGES, DeviceProfile, load_profile, save_profile


def test_the_packaged_one_loads() -> None:
    """The profile that comes with the package is sound and says where it comes from."""
    profile = load_profile(None)
    assert "vedette bench profile" in profile.origin
    assert tuple(profile.agent_ms(None, None)) == (*AGENT_STAGES, "detect3d")


@pytest.mark.parametrize("name", ["x86-2core", "x86-2core-4x-slower", "x86-2core-point-gnn"])
def test_those_that_come_with_the_package_have_names(name: str) -> None:
    """Which are their file's."""
    assert load_profile(Path(name)).name == name


@pytest.mark.parametrize(
    ("detector2d", "detector3d", "detect2d_ms", "detect3d_ms"),
    [
        (None, None, 40.0, 30.0),
        ("measured-2d@1", "measured-3d@1", 40.0, 30.0),
        ("small-2d@1", "large-3d@1", 10.0, 150.0),
        ("small-2d@2", "large-3d@2", 40.0, 30.0),
    ],
    ids=["none", "measured", "others", "other versions"],
)
def test_models_have_times_of_their_own(
    detector2d: str | None, detector3d: str | None, detect2d_ms: float, detect3d_ms: float
) -> None:
    """Those that the profile names; those measured stand for the rest. Other stages are the same for all."""
    profile = _of_models()
    stages = profile.agent_ms(detector2d, detector3d)
    assert (stages.pop("detect2d"), stages.pop("detect3d")) == (detect2d_ms, detect3d_ms)
    assert stages == {stage: getattr(profile.edge_ms, stage) for stage in AGENT_STAGES if stage != "detect2d"}
    assert profile.edge_detect3d_ms(detector3d) == detect3d_ms


def test_the_server_has_times_of_its_own() -> None:
    """What a model takes on the device says nothing of the server."""
    profile = _of_models()
    assert profile.cloud_detect3d_ms("large-3d@1") == 120.0
    assert profile.cloud_detect3d_ms("small-2d@1") == profile.cloud_ms.detect3d == 25.0


def test_timed_are_all_that_have_times() -> None:
    """Measured with the rest, or given beside them, on either side."""
    assert _of_models().timed == {"measured-2d@1", "measured-3d@1", "small-2d@1", "large-3d@1", "far-3d@1"}


def _of_models() -> DeviceProfile:
    times = load_profile(None)
    return times.model_copy(
        update={
            "models": "measured-2d@1, measured-3d@1",
            "edge_ms": times.edge_ms.model_copy(update={"detect2d": 40.0, "detect3d": 30.0}),
            "cloud_ms": times.cloud_ms.model_copy(update={"detect3d": 25.0}),
            "edge_detectors_ms": {"small-2d@1": 10.0, "large-3d@1": 150.0},
            "cloud_detectors_ms": {"large-3d@1": 120.0, "far-3d@1": 500.0},
        }
    )


def test_the_slower_device_is_four_times_slower_and_its_server_the_same() -> None:
    """In every number, and it says so."""
    slow, fast = load_profile(Path("x86-2core-4x-slower")), load_profile(Path("x86-2core"))
    for stage, ms in fast.edge_ms.model_dump().items():
        assert getattr(slow.edge_ms, stage) == pytest.approx(4 * ms), stage
    assert slow.edge_detectors_ms == pytest.approx({name: 4 * ms for name, ms in fast.edge_detectors_ms.items()})
    assert (slow.cloud_ms, slow.cloud_detectors_ms) == (fast.cloud_ms, fast.cloud_detectors_ms)
    assert slow.models == fast.models
    for text in (slow.device, slow.origin):
        assert "x86-2core" in text
        assert "multiplied by four" in text


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
        MissingDataError, match=r"cannot be read.*expected a file, or one of x86-2core, x86-2core-4x-slower, x86"
    ):
        load_profile(tmp_path / "none.yaml")
    for text in ("{", "- 1\n", "", "name: 2011-99-99\n"):
        (tmp_path / "p.yaml").write_text(text, encoding="utf-8")
        with pytest.raises(FileFormatError):
            load_profile(tmp_path / "p.yaml")
