"""Damaged inputs: whatever comes in, what comes out is a value or one of our errors, soon and without much memory.

Every input follows from the seed in its number; a failure names it.
"""

from __future__ import annotations

import string
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import grpc
import numpy as np
import pytest
import zstandard
from google.protobuf.message import DecodeError

from vedette.clock import WallClock
from vedette.codecs.sweep import EncodedSweep, crop_to_camera, decode_sweep, sweep_codec
from vedette.config import LiveConfig, Settings
from vedette.config_loader import load_settings, settings_as_yaml
from vedette.datasets.kitti.calibration import read_calibration, read_raw_calibration
from vedette.datasets.kitti.labels import parse_label_file, parse_tracking_label_file
from vedette.datasets.kitti.oxts import ego_poses, read_tracking_oxts
from vedette.datasets.kitti.timestamps import read_timestamps
from vedette.datasets.kitti.tracklets import label_frames, read_tracklets
from vedette.datasets.source_spec import open_recording
from vedette.datasets.traces import read_rate_trace
from vedette.detections import Detections3D
from vedette.edge.offload.detect_message import decode_reply
from vedette.edge.sources.spec import open_source
from vedette.errors import VedetteError
from vedette.frames import BadFrame, Sweep
from vedette.geometry import SE3, PinholeCamera
from vedette.models.cards import card_as_yaml, read_card
from vedette.models.catalog import known_cards
from vedette.models.registry import ModelRegistry
from vedette.protos.convert import detect_request_from, detect_response_from, sweep_and_camera_from
from vedette.protos.v1alpha1.detection_pb2 import DetectSweepRequest
from vedette.replay.network import parse_network
from vedette.replay.profile import load_profile, save_profile

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

MOST_MB = 400
"""A sweep at the limit of a million points takes 16 MB, and decoding one a few times that."""
CAMERA = PinholeCamera(
    np.array([[700.0, 0, 600, 45], [0, 700, 180, 0.2], [0, 0, 1, 0.003]]),
    SE3(np.array([[0.0, -1, 0], [0, 0, -1], [1, 0, 0]]), np.array([0.0, -0.08, -0.27])),
    width_px=1242,
    height_px=375,
)
TRACE_ID = "0123456789abcdef0123456789abcdef"


class Tally:
    """Which errors came out, how many inputs were still good, and what should not have come out."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.wrong: dict[str, str] = {}

    def check(self, number: int, given: Any, check: Callable[[Any], Any]) -> None:
        """One input. A warning is an error too: numpy warns where it computes nonsense."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                check(given)
        except VedetteError as error:
            self.outcomes[type(error).__name__ if str(error) else "an error without a text"] += 1
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            last_of_ours = [frame for frame in traceback.extract_tb(error.__traceback__) if "vedette" in frame.filename]
            place = last_of_ours[-1] if last_of_ours else place
            kind = f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
            self.wrong.setdefault(kind, f"{kind}: {error!s:.300}\n    input {number}: {given!r:.800}")
        except BaseException as error:  # a hang, ended by the time limit
            error.add_note(f"input {number}: {given!r:.3000}")
            raise
        else:
            self.outcomes["accepted"] += 1


@pytest.fixture
def fuzz(mutator: Any, length: float, peak_memory: Any, figures: Any) -> Callable[..., Counter[str]]:
    """Runs a check on many damaged inputs, tells every kind of wrong outcome, and records what came out."""

    def run(name: str, count: int, damage: Callable[[Any], Any], check: Callable[[Any], Any]) -> Counter[str]:
        tally, total = Tally(), round(count * length)
        with peak_memory() as peak:
            for number in range(total):
                tally.check(number, damage(mutator(number)), check)
        assert not tally.wrong, "\n\n" + "\n\n".join(tally.wrong.values())
        assert peak.grown_mb < MOST_MB
        refused = {kind: count for kind, count in sorted(tally.outcomes.items()) if kind != "accepted"}
        assert "an error without a text" not in refused
        assert refused, "nothing was refused: the damage does not reach the reader"
        figures(name, inputs=total, accepted=tally.outcomes["accepted"], refused=refused, peak_mb=round(peak.grown_mb))
        return tally.outcomes

    return run


def some_sweep(count: int = 500) -> Sweep:
    points = np.random.default_rng(0).uniform((2, -5, -2, 0), (60, 5, 1, 1), (count, 4)).astype(np.float32)
    return Sweep(points, 1_000, 2_000)


def some_request(codec: str = "polar") -> DetectSweepRequest:
    encoded = sweep_codec(codec).encode(crop_to_camera(some_sweep(), CAMERA))
    return detect_request_from(encoded, 1_000, 2_000, CAMERA, trace_id=TRACE_ID, capture_time_ns=1_500)


# ---- sweeps and messages


@pytest.mark.parametrize("codec", ["polar", "raw"])
def test_sweep_blobs(fuzz: Any, codec: str) -> None:
    """Of both codecs, with their number of points and version changed as well."""
    valid = sweep_codec(codec).encode(some_sweep())

    def damage(mutator: Any) -> EncodedSweep | tuple[Any, ...]:
        count = mutator.pick((valid.point_count, valid.point_count, 1, 0, 2**31, 999_999, valid.point_count - 1))
        version = mutator.pick((1, 1, 1, 0, 2))
        return valid.codec, version, count, mutator.data(valid.data)

    fuzz(f"sweep blobs, {codec}", 4000, damage, lambda given: decode_sweep(EncodedSweep(*given), 1, 2))


def test_a_small_frame_that_unpacks_to_much(fuzz: Any) -> None:
    """A zstd frame of a few kB that says, truly or not, that it holds gigabytes."""
    bomb = zstandard.ZstdCompressor(level=1).compress(bytes(200_000_000))
    sized = bytes((7, 0, 2, 2, 1, 1)) + bomb

    def damage(mutator: Any) -> tuple[Any, ...]:
        data = bytearray(sized)
        data[6 + int(mutator.rng.integers(16))] ^= 1 << int(mutator.rng.integers(8))
        return "polar", 1, mutator.pick((1, 1_000_000, 500)), bytes(data)

    fuzz("sweep blobs, bombs", 500, damage, lambda given: decode_sweep(EncodedSweep(*given), 1, 2))


def damaged_fields(mutator: Any, message: DetectSweepRequest) -> DetectSweepRequest:
    """A message whose fields have other values, each of its own type."""
    number = float(mutator.pick((np.nan, np.inf, -np.inf, 0.0, -1.0, 1e308, 1e-320, 1e19, 700.5)))
    whole = int(mutator.pick((0, 1, 2**31 - 1, 2**32 - 1, 7)))
    long = int(mutator.pick((0, -1, 2**63 - 1, -(2**63), 10)))
    text = mutator.pick(("", "polar", "raw", "x" * 5000, "\x00", "0" * 32, "💥"))
    camera, sweep, header = message.camera, message.sweep, message.header
    changes: list[Callable[[], Any]] = [
        lambda: camera.projection.__setitem__(int(mutator.rng.integers(12)), number),
        lambda: camera.cam_se3_velo.__setitem__(int(mutator.rng.integers(12)), number),
        lambda: camera.projection.append(number),
        lambda: setattr(camera, "width_px", whole),
        lambda: setattr(camera, "height_px", whole),
        lambda: setattr(sweep, "codec", text),
        lambda: setattr(sweep, "codec_version", whole),
        lambda: setattr(sweep, "point_count", whole),
        lambda: setattr(sweep, "data", mutator.data(sweep.data)),
        lambda: setattr(sweep, "start_ns", long),
        lambda: setattr(sweep, "end_ns", long),
        lambda: setattr(header, "trace_id", text),
        lambda: setattr(header, "capture_time_ns", long),
        lambda: setattr(header, "schema_version", whole),
        lambda: setattr(message, "model", text),
        lambda: message.ClearField(mutator.pick(("header", "sweep", "camera"))),
    ]
    for _ in range(int(mutator.rng.integers(1, 3))):
        mutator.pick(changes)()
    return message


def damaged_request(mutator: Any) -> bytes:
    message = some_request(mutator.pick(("polar", "raw")))
    if mutator.rng.random() < 0.5:
        return mutator.data(message.SerializeToString())
    try:
        return damaged_fields(mutator, message).SerializeToString()
    except IndexError:  # a field that an earlier change has taken away
        return b""


def test_requests_before_the_model(fuzz: Any) -> None:
    """What the server reads out of a message that parses."""

    def check(data: bytes) -> None:
        try:
            message = DetectSweepRequest.FromString(data)
        except DecodeError:
            return
        sweep, camera = sweep_and_camera_from(message)
        crop_to_camera(sweep, camera)

    fuzz("requests, decoded", 3000, damaged_request, check)


def test_answers(fuzz: Any) -> None:
    """What the agent reads out of a server's answer."""
    detections = Detections3D(np.array([[20.0, 0, 0, 4, 1.7, 1.5, 0]] * 3), np.full(3, 0.9), np.zeros(3, np.int64))
    stages = {"decode": 1.0, "detect3d": 2.0}
    valid = detect_response_from(
        detections, trace_id=TRACE_ID, capture_time_ns=1, model="m@1", stage_ms=stages, total_ms=3.0
    ).SerializeToString()
    fuzz("answers", 4000, lambda mutator: mutator.data(valid), decode_reply)


def test_requests_to_a_live_server(
    child_server: Any, one_car_server: Any, mutator: Any, length: float, figures: Any
) -> None:
    """Every one is answered, never with INTERNAL or UNKNOWN, and the server is as well afterwards as before."""
    server = child_server(one_car_server())
    outcomes: Counter[str] = Counter()
    allowed = {"OK", "INVALID_ARGUMENT", "FAILED_PRECONDITION", "NOT_FOUND", "RESOURCE_EXHAUSTED"}
    methods = ["DetectionService/DetectSweep"] * 5 + ["InfoService/GetServerInfo"]
    unimplemented = ["RestorationService/RestoreImage"]
    with grpc.insecure_channel(server.target) as channel:
        grpc.channel_ready_future(channel).result(20.0)
        before_mb = server.rss_mb()
        for number in range(round(3000 * length)):
            damage = mutator(number)
            service = damage.pick(methods + unimplemented)
            data = damaged_request(damage)
            try:
                channel.unary_unary(f"/vedette.v1alpha1.{service}")(data, timeout=20.0)
                code = "OK"
            except grpc.RpcError as error:
                code = error.code().name if ".py" not in (error.details() or "") else "OUR CODE IN THE TEXT"
            known = allowed | ({"UNIMPLEMENTED"} if service in unimplemented else set())
            assert code in known, f"input {number} to {service}: {code}, {data!r:.500}"
            outcomes[code] += 1
        channel.unary_unary("/vedette.v1alpha1.DetectionService/DetectSweep")(
            some_request().SerializeToString(), timeout=20.0
        )
        grown_mb = server.rss_mb() - before_mb
    assert server.process.poll() is None
    assert grown_mb < MOST_MB
    assert outcomes["OK"]
    assert outcomes["INVALID_ARGUMENT"]
    figures("requests to a live server", outcomes=dict(sorted(outcomes.items())), server_grown_mb=round(grown_mb, 1))


# ---- files


def object_label(rows: int = 4, scored: bool = False) -> str:
    row = "Car 0.00 1 1.85 387.63 181.54 423.81 203.12 1.67 1.87 3.69 -16.53 2.39 58.49 1.57"
    care = "DontCare -1 -1 -10 503.89 169.71 590.61 190.13 -1 -1 -1 -1000 -1000 -1000 -10"
    return "".join(f"{row}{' 0.75' if scored else ''}\n" for _ in range(rows)) + ("" if scored else f"{care}\n")


TRACKING_LABEL = "".join(
    f"{frame} {track} Van 0 0 -1.79 296.74 161.75 455.22 292.37 2.00 1.82 4.43 -4.55 1.85 13.41 -2.11\n"
    for frame in range(4)
    for track in range(2)
)
OBJECT_CALIB = """P0: 7.215377e+02 0 6.095593e+02 0 0 7.215377e+02 1.728540e+02 0 0 0 1 0
P1: 7.215377e+02 0 6.095593e+02 -3.875744e+02 0 7.215377e+02 1.728540e+02 0 0 0 1 0
P2: 7.215377e+02 0 6.095593e+02 4.485728e+01 0 7.215377e+02 1.728540e+02 2.163791e-01 0 0 1 2.745884e-03
P3: 7.215377e+02 0 6.095593e+02 -3.395242e+02 0 7.215377e+02 1.728540e+02 2.199936e+00 0 0 1 2.729905e-03
R0_rect: 1 0 0 0 1 0 0 0 1
Tr_velo_to_cam: 0 -1 0 -0.004 0 0 -1 -0.076 1 0 0 -0.27
Tr_imu_to_velo: 1 0 0 -0.81 0 1 0 0.32 0 0 1 -0.8

"""
CAM_TO_CAM = """calib_time: 09-Jan-2012 13:57:47
corner_dist: 9.950000e-02
S_02: 1.392000e+03 5.120000e+02
R_rect_00: 1 0 0 0 1 0 0 0 1
S_rect_02: 1.242000e+03 3.750000e+02
R_rect_02: 1 0 0 0 1 0 0 0 1
P_rect_02: 7.215377e+02 0 6.095593e+02 4.485728e+01 0 7.215377e+02 1.728540e+02 2.163791e-01 0 0 1 2.745884e-03
"""
VELO_TO_CAM = "calib_time: 15-Mar-2012 11:37:16\nR: 0 -1 0 0 0 -1 1 0 0\nT: -0.004 -0.076 -0.27\ndelta_f: 0 0\n"
OXTS = "".join(
    f"49.0{i}5 8.43 112.8 0.03 0.01 {0.1 * i} " + " ".join(["0.5"] * 19) + " 4 10 4 4 0\n" for i in range(1, 5)
)
TIMES = "".join(f"2011-09-26 13:04:3{i}.345808896\n" for i in range(6))
POSE = (
    "<item>\n<tx>3.5</tx>\n<ty>-1</ty>\n<tz>-1.7</tz>\n<rx>0</rx>\n<ry>0</ry>\n<rz>-0.1</rz>\n<state>1</state>\n"
    "<occlusion>0</occlusion>\n<truncation>0</truncation>\n</item>\n"
)
TRACKLETS = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>\n<!DOCTYPE boost_serialization>\n'
    '<boost_serialization signature="serialization::archive" version="9">\n<tracklets class_id="0">\n<count>2</count>\n'
    + "<item>\n<objectType>Person (sitting)</objectType>\n<h>1.5</h>\n<w>1.6</w>\n<l>4.0</l>\n<first_frame>3"
    f"</first_frame>\n<poses>\n{POSE * 2}</poses>\n</item>\n" * 2 + "</tracklets>\n</boost_serialization>\n"
)
GHENT_TRACE = "1500000000000 250 51.05 3.72 250000 1000\n1500000001001 1251 51.05 3.73 0 1001\n"
CSV_TRACE = "time_s,rate_mbps\n0,8\n1.5,0\n2,12.5\n"
MAHIMAHI_TRACE = "1\n3\n3\n7\n10\n"


def read_drive_calibration(path: Path) -> None:
    (path.parent / "calib_velo_to_cam.txt").write_text(VELO_TO_CAM)
    read_raw_calibration(path.parent)


def read_poses(path: Path) -> None:
    ego_poses(read_tracking_oxts(path), SE3.identity())


def read_labelled_frames(path: Path) -> None:
    label_frames(read_tracklets(path), CAMERA)


TEXT_FILES: dict[str, tuple[str, str, Callable[[Path], Any]]] = {
    "labels, object": ("000000.txt", object_label(), parse_label_file),
    "results, object": ("000000.txt", object_label(scored=True), lambda path: parse_label_file(path, scored=True)),
    "labels, tracking": ("0001.txt", TRACKING_LABEL, parse_tracking_label_file),
    "calibration, object": ("000000.txt", OBJECT_CALIB, read_calibration),
    "calibration, tracking": ("0001.txt", OBJECT_CALIB.replace("R0_rect:", "R_rect"), read_calibration),
    "calibration, raw": ("calib_cam_to_cam.txt", CAM_TO_CAM, read_drive_calibration),
    "oxts": ("0001.txt", OXTS, read_poses),
    "timestamps": ("timestamps.txt", TIMES, read_timestamps),
    "tracklets": ("tracklet_labels.xml", TRACKLETS, read_labelled_frames),
    "rate trace, csv": ("trace.csv", CSV_TRACE, read_rate_trace),
    "rate trace, ghent": ("trace.log", GHENT_TRACE, read_rate_trace),
    "rate trace, mahimahi": ("trace.txt", MAHIMAHI_TRACE, read_rate_trace),
    "settings": ("config.yaml", settings_as_yaml(Settings()), load_settings),
    "model card": ("card.yaml", "", read_card),
    "device profile": ("board.yaml", "", load_profile),
}


@pytest.mark.parametrize("kind", TEXT_FILES)
def test_text_files(fuzz: Any, kind: str, tmp_path: Path) -> None:
    """Labels, calibrations, poses, times, tracklets, traces, settings, cards and profiles."""
    name, valid, read = TEXT_FILES[kind]
    if kind == "model card":
        valid = card_as_yaml(next(iter(known_cards())))
    if kind == "device profile":
        save_profile(load_profile(None), tmp_path / name)
        valid = (tmp_path / name).read_text(encoding="utf-8")
    path = tmp_path / name
    path.write_text(valid, encoding="utf-8")
    read(path)

    def check(data: bytes) -> None:
        path.write_bytes(data)
        read(path)

    yaml_like = kind in {"settings", "model card", "device profile"}
    fuzz(kind, 1500 if yaml_like else 3000, lambda mutator: mutator.any_text_bytes(valid), check)


def tracking_tree(root: Path) -> Path:
    """Three frames of a sequence with everything that the layout knows."""
    folders = ("velodyne/0007", "image_02/0007", "calib", "label_02", "oxts")
    for folder in folders:
        (root / folder).mkdir(parents=True)
    for frame in range(3):
        some_sweep(60).points_velo.tofile(root / f"velodyne/0007/{frame:06d}.bin")
        cv2.imwrite(str(root / f"image_02/0007/{frame:06d}.png"), np.full((375, 1242, 3), 90, np.uint8))
    (root / "calib/0007.txt").write_text(OBJECT_CALIB)
    (root / "label_02/0007.txt").write_text(TRACKING_LABEL)
    (root / "oxts/0007.txt").write_text(OXTS)
    return root


def test_recordings(fuzz: Any, tmp_path: Path) -> None:
    """A file of a recording is damaged: opening it fails, or its frames come, some of them bad, each in its place."""
    root = tracking_tree(tmp_path / "tree")
    spec = f"kitti-tracking:{root}:0007"
    assert not any(isinstance(item, BadFrame) for item in open_recording(spec))
    files = sorted(path for path in root.rglob("*") if path.is_file())
    contents = {path: path.read_bytes() for path in files}

    def damage(mutator: Any) -> tuple[Path, bytes]:
        path = mutator.pick(files)
        text = path.suffix == ".txt"
        return path, mutator.any_text_bytes(contents[path].decode()) if text else mutator.data(contents[path])

    def check(given: tuple[Path, bytes]) -> None:
        path, data = given
        path.write_bytes(data)
        try:
            recording = open_recording(spec)
            items = list(recording)
            assert [item.index for item in items] == list(range(recording.frame_count or 0))
            for item in items:
                recording.labels(item.index)
            bad = [item.error for item in items if isinstance(item, BadFrame)]
            if bad:
                raise bad[0]
        finally:
            path.write_bytes(contents[path])

    fuzz("recordings", 1500, damage, check)


# ---- names on the command line


def test_network_names(fuzz: Any, tmp_path: Path) -> None:
    """Specs of every kind."""
    trace = tmp_path / "trace.csv"
    trace.write_text(CSV_TRACE)
    valid = (
        "none", "constant:12mbps,delay=20ms", "step:8mbps/0mbps/20mbps,every=2s", f"trace:{trace},scale=0.5,down=1gbps",
        "fading:1,mean=8mbps,spread=0.4,memory=1s,outage=0.05,lasting=2s,delay=25ms,jitter=5ms,seed=3",
        "blackout:8mbps,gone=30s@20s/90s,buffer=64kB,stall=2s/30s,blackhole=5s@60s,reset=@1s/2s,uplink=0.5",
    )  # fmt: skip
    fuzz("network names", 3000, lambda mutator: mutator.short(mutator.pick(valid)), parse_network)


def test_source_names(fuzz: Any, tmp_path: Path) -> None:
    """Recordings and live sensors; names that lead to a device are left out."""
    root = tracking_tree(tmp_path / "tracking")
    valid = (
        f"kitti-tracking:{root}:0007:0-2", f"kitti-tracking:{tmp_path}:0007", f"kitti-object:{root}",
        f"kitti-raw:{tmp_path}:2011_09_26_drive_0001", f"camera:{root}/none.mp4+lidar:{root}/velodyne",
        f"camera:{root}/none.mp4+lidar:{root}/velodyne+calib:{root}/calib/0007.txt",
    )  # fmt: skip

    def damage(mutator: Any) -> str:
        spec = mutator.short(mutator.pick(valid))
        return "" if spec.startswith("camera:") and spec[7:8] in string.digits else spec

    def check(spec: str) -> None:
        source = open_source(spec, live=LiveConfig(silence_timeout_s=0.1), clock=WallClock())
        source.close()

    fuzz("source names", 2000, damage, check)


# ---- the real detector


@pytest.mark.shared
def test_the_real_detector(fuzz: Any, weights_dir: Path, tmp_path: Path) -> None:
    """Sweeps and cameras that no sensor makes: points in one place, a million, a camera without an angle of view."""
    registry = ModelRegistry(tmp_path)
    registry.import_file(weights_dir / "point_gnn_car_T1.onnx")
    detector = registry.load_detector3d("point-gnn-car")

    def damage(mutator: Any) -> tuple[Sweep, PinholeCamera]:
        count = int(mutator.pick((1, 2, 100, 3000, 1_000_000)))
        spread = float(mutator.pick((0.0, 1e-6, 0.5, 3.0, 400.0)))
        centre = np.array([mutator.pick((5.0, 40.0, -20.0)), 0.0, 0.0])
        points = np.clip(centre + mutator.rng.normal(0, spread, (count, 3)), -499, 499)
        table = np.column_stack([points, mutator.rng.random(count)]).astype(np.float32)
        projection = CAMERA.projection.copy()
        projection[0, 0] *= float(mutator.pick((1.0, 1e-6, 1e6)))
        projection[:, 3] = float(mutator.pick((0.0, 1e8, -1.0)))
        pose = SE3(CAMERA.cam_SE3_velo.rotation, np.array([0.0, 0.0, float(mutator.pick((0.0, 1e6, -30.0)))]))
        size = mutator.pick(((1242, 375), (1, 1), (65_535, 65_535)))
        return Sweep(table, 0, 0), PinholeCamera(projection, pose, *size)

    fuzz("the real detector", 40, damage, lambda given: detector.detect(*given))


def test_settings_from_nested_yaml(fuzz: Any, tmp_path: Path) -> None:
    """Aliases that multiply, and depth without end."""
    path = tmp_path / "config.yaml"
    levels = "\n".join(f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 10)}]" for i in range(1, 9))
    bomb = f"l0: &l0 [x, x, x, x]\n{levels}\nedge: *l8\n"
    depths = ("[" * 5000, "{a: " * 3000, "- " * 4000, "edge:\n" + "\n".join(" " * i + "a:" for i in range(1, 1500)))

    def damage(mutator: Any) -> str:
        return mutator.pick((bomb, bomb.replace("edge", "telemetry"), *depths))

    def check(text: str) -> None:
        path.write_text(text)
        load_settings(path)

    fuzz("settings, nested", 12, damage, check)
