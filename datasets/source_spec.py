"""Names of recordings on the command line, the same everywhere.

| name                                       | what                                                        |
|--------------------------------------------|-------------------------------------------------------------|
| ``kitti-object:DIR``                       | all frames of an object folder                              |
| ``kitti-tracking:DIR:SEQ[:FIRST-LAST]``    | a sequence, or its frames FIRST to LAST, both included      |
| ``kitti-raw:DIR:DATE_drive_NNNN``          | a drive of the raw data                                     |
| ``opv2v:DIR[:VEHICLE]``                    | one connected vehicle of a scenario, or that of lowest id   |
| ``synth:SCENARIO[:SEED[:FIRST-LAST]]``     | a world of our own; by default seed 0, frames 0 to 99       |

For object and tracking, DIR holds ``velodyne/``, or is a parent that holds it under ``tracking/`` or ``object/``,
``training/``, or both. For raw, DIR holds ``DATE/`` (or is it), or holds that under ``raw/``. For OPV2V, DIR holds
``VEHICLE_ID/``, or one scenario that does.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from vedette.datasets.kitti.object_layout import open_object_recording
from vedette.datasets.kitti.raw_layout import open_raw_recording
from vedette.datasets.kitti.tracking_layout import FrameRange, open_tracking_recording
from vedette.datasets.opv2v.recording import open_opv2v
from vedette.datasets.recording import Recording
from vedette.datasets.spooled import SpooledRecording
from vedette.errors import ConfigError, MissingDataError
from vedette.paths import path_from_user

FORMS: Final = {
    "kitti-object": "kitti-object:DIR",
    "kitti-tracking": "kitti-tracking:DIR:SEQ[:FIRST-LAST]",
    "kitti-raw": "kitti-raw:DIR:DATE_drive_NNNN",
    "opv2v": "opv2v:DIR[:VEHICLE]",
    "synth": "synth:SCENARIO[:SEED[:FIRST-LAST]]",
}
"""How a source of each kind is named, by kind."""

_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_SYNTH = re.compile(
    r"(?P<scenario>[\w-]{1,100})(:(?P<seed>[0-9]{1,18})(:(?P<range>[0-9]{1,9}-[0-9]{1,9}))?)?", re.ASCII
)
_DRIVE = re.compile(r"(?P<date>\d{4}_\d{2}_\d{2})_drive_\d{4}", re.ASCII)


def open_recording(spec: str) -> Recording:
    """Open a recording by its name.

    Args:
        spec: a name in one of the `FORMS`.

    Raises:
        ConfigError: malformed, or an empty or unknown range of frames.
        MissingDataError: no such folder, sequence, drive or vehicle; the message lists what there is.
        MissingPackageError: a world of our own needs Open3D.
        FileFormatError: a file of the recording that all frames need is not in its format.
    """
    kind, _, rest = spec.partition(":")
    if kind not in FORMS or not rest:
        raise _malformed(spec, *FORMS.values())
    if kind == "kitti-object":
        return open_object_recording(_velodyne_parent(rest, "object"))
    if kind == "kitti-tracking":
        return _open_tracking(spec, rest.split(":"))
    if kind == "kitti-raw":
        return _open_raw(spec, rest)
    return _open_opv2v(rest) if kind == "opv2v" else _open_synth(spec, rest)


def _malformed(spec: str, *forms: str) -> ConfigError:
    return ConfigError(f"source {spec!r}: expected {' or '.join(forms)}")


def _open_tracking(spec: str, parts: list[str]) -> Recording:
    selection = None
    if match := _RANGE.fullmatch(parts[-1]):
        selection = FrameRange(int(match[1]), int(match[2]))
        parts = parts[:-1]
    if len(parts) < 2 or not all(parts):
        raise _malformed(spec, FORMS["kitti-tracking"])
    if not _is_plain_name(parts[-1]):
        raise ConfigError(f"source {spec!r}: {parts[-1]!r} is not a sequence; expected {FORMS['kitti-tracking']}")
    text = ":".join(parts[:-1])
    if not path_from_user(text).is_dir():
        raise MissingDataError(f"source {spec!r}: no folder {text}; expected {FORMS['kitti-tracking']}")
    return open_tracking_recording(_velodyne_parent(text, "tracking"), parts[-1], selection)


def _is_plain_name(text: str) -> bool:
    return re.fullmatch(r"\w{1,100}", text, re.ASCII) is not None


def _open_raw(spec: str, rest: str) -> Recording:
    text, _, drive = rest.rpartition(":")
    drive = drive.removesuffix("_sync")
    match = _DRIVE.fullmatch(drive)
    if not text or match is None:
        raise _malformed(spec, FORMS["kitti-raw"])
    root = _existing_folder(text)
    days = [root / match["date"], root / "raw" / match["date"], root]
    for day in days:
        if (day / f"{drive}_sync").is_dir():
            return open_raw_recording(day / f"{drive}_sync")
    known = sorted({path.name.removesuffix("_sync") for day in days for path in day.glob("*_drive_*_sync")})
    raise MissingDataError(f"{root}: no drive {drive}; there are: {', '.join(known) or 'none'}")


def _open_opv2v(rest: str) -> Recording:
    text, _, vehicle = rest.rpartition(":")
    if text and re.fullmatch("[0-9]{1,18}", vehicle):
        return open_opv2v(_existing_folder(text), int(vehicle))
    return open_opv2v(_existing_folder(rest))


def _open_synth(spec: str, rest: str) -> Recording:
    match = _SYNTH.fullmatch(rest)
    if match is None:
        raise _malformed(spec, FORMS["synth"])
    # the generator and what it imports would slow down the start of everything else
    from vedette.datasets.synth.recording import open_synth

    first, last = (match["range"] or "0-99").split("-")
    # several seconds of work in every frame: whoever reads it twice shall not wait twice
    return SpooledRecording(open_synth(match["scenario"], int(match["seed"] or 0), int(first), int(last)))


def _existing_folder(text: str) -> Path:
    folder = path_from_user(text)
    if not folder.is_dir():
        raise MissingDataError(f"no folder {folder}")
    return folder


def _velodyne_parent(text: str, benchmark: str) -> Path:
    """The folder that holds ``velodyne/``, at or below a given one."""
    root = _existing_folder(text)
    places = [root, root / benchmark, root / "training", root / benchmark / "training"]
    for place in places:
        if (place / "velodyne").is_dir():
            return place
    looked = ", ".join(str(place) for place in places)
    raise MissingDataError(f"{root}: no folder velodyne/; looked in {looked}")
