"""Settings: nested, typed, with a default for everything.

They come, in falling order of precedence, from command-line flags, environment variables
(``VEDETTE_EDGE__OFFLOAD__INTERVAL``), a YAML file (``--config``, else the path in ``VEDETTE_CONFIG``), and the defaults
below. Unknown keys are refused. There is no global settings object: a command loads the settings once and hands each
part its own section.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Seconds = Annotated[float, Field(gt=0, le=86_400)]
Milliseconds = Annotated[float, Field(gt=0, le=86_400_000)]
Fraction = Annotated[float, Field(ge=0, le=1)]


class Section(BaseModel):
    """A group of settings; unknown keys are an error and values are never changed after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelsConfig(Section):
    """Where models are found and how they run."""

    folder: Path = Field(
        Path("~/.local/share/vedette/models"),
        description="Where `vedette models import` puts models, <name>/<version>/ each.",
    )
    providers: tuple[str, ...] = Field(
        ("CPUExecutionProvider",),
        description="ONNX Runtime execution providers in order of preference; those not available are skipped and"
        " logged. On a Jetson: TensorrtExecutionProvider, CUDAExecutionProvider, CPUExecutionProvider.",
    )
    threads: int = Field(1, ge=1, le=256, description="Threads per model session; more lowers latency.")


class Detector2DConfig(Section):
    """The fast 2D model on the edge."""

    model: str = Field("nanodet-plus", description="Name of the 2D detector.")
    mask_model: str | None = Field(
        None, description="Segmentation model that gives the boxes masks; none: what the detector itself gives."
    )
    score_threshold: Fraction = Field(0.4, description="Boxes below are dropped; lower finds more.")


class OffloadConfig(Section):
    """What is sent to the cloud, and for how long an answer is worth waiting for."""

    policy: Literal["adaptive", "interval", "paper"] = Field(
        "adaptive",
        description="adaptive: weighs what an answer would put right against link and budget; interval: one frame in"
        " every so many; paper: test frames, and anchors that hold publication until they are answered.",
    )
    interval: int = Field(7, ge=1, description="Frames from one anchor to the next under the policy interval.")
    test_interval: int = Field(5, ge=1, description="Frames from one test to the next under the policy paper.")
    min_test_f1: float = Field(
        0.7, ge=0, le=1, description="Agreement in a test below which the next frame is an anchor, under paper."
    )
    max_share: float = Field(
        0.15,
        gt=0,
        le=1,
        description="Of the captured frames that may be sent under adaptive. More keeps boxes nearer to the cloud's.",
    )
    mb_a_minute: float = Field(10.0, gt=0, description="Megabytes that may be sent in a minute under adaptive.")
    mb_a_month: float = Field(20_000.0, gt=0, description="Megabytes that may be sent in thirty days under adaptive.")
    regions: bool = Field(
        True, description="Over a slow link send only the regions of the image whose objects are in doubt."
    )
    codec: str = Field("polar", description="Sweep codec: polar (quantised, small) or raw (float32, exact).")
    camera_view_only: bool = Field(True, description="Send only points that the camera sees, a sixth.")
    deadline_ms: Milliseconds = Field(3000.0, description="An answer later than this after capture is given up.")


class LinkConfig(Section):
    """The connection to the cloud."""

    ping_interval_s: Seconds = Field(2.0, description="How often the server is asked whether it is there.")
    reconnect_after_s: Seconds = Field(
        5.0,
        description="A link silent for this long is torn down and built again, but not before a request could have used"
        " its whole deadline.",
    )
    capacity: int = Field(
        1,
        ge=1,
        le=16,
        description="Requests under way at a time. More keep a fast server busy over a slow network; where the server"
        " or the uplink is the bottleneck they only make each answer later.",
    )


class LiveConfig(Section):
    """Live sensors."""

    pairing_tolerance_ms: Milliseconds = Field(
        50.0,
        description="An image farther than this from a sweep does not belong to it. Larger pairs what a slow camera"
        " has, but moving objects then lie beside their points.",
    )
    silence_timeout_s: Seconds = Field(5.0, description="A sensor that delivers nothing for this long is silent.")
    on_silence: Literal["stop", "wait"] = Field(
        "stop", description="stop: the run ends with an error that names the silent sensor; wait: it goes on."
    )


class EdgeConfig(Section):
    """The agent."""

    detector2d: Detector2DConfig = Detector2DConfig()
    detector3d: str | None = Field(
        "pillars-nano-synth",
        description="Name of the 3D detector on the device, which a replay's policy edge-only runs; none: the cloud's.",
    )
    offload: OffloadConfig = OffloadConfig()
    link: LinkConfig = LinkConfig()
    live: LiveConfig = LiveConfig()


class CloudConfig(Section):
    """The server."""

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(50551, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    detector3d: str = Field("pillars-large-synth", description="Name of the 3D detector that answers.")
    full_circle: bool = Field(
        False,
        description="Look all around the LiDAR, not only where the camera looks, in about five times the time. Agents"
        " must then send all points (edge.offload.camera_view_only: false). Only models of the family pillars can.",
    )
    max_queue: int = Field(4, ge=1, le=1024, description="Requests waiting for the detector; more are refused at once.")
    workers: int = Field(1, ge=1, le=256, description="Detections at a time.")
    max_budget_s: Seconds = Field(
        30.0, description="A request is given up after this long, also when its deadline is later or absent."
    )
    stop_grace_s: Seconds = Field(5.0, description="How long running requests may finish after a stop signal.")


class TelemetryConfig(Section):
    """Logs and metrics."""

    log_format: Literal["auto", "json", "text"] = Field("auto", description="auto: text on a terminal, else JSON.")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least severe level shown.")
    metrics_host: str = Field(
        "127.0.0.1", description="Address that metrics are served at; 0.0.0.0 shows them to other machines."
    )
    metrics_port: int | None = Field(None, ge=0, le=65535, description="Serve Prometheus metrics there; none: do not.")


class Settings(Section):
    """Everything."""

    models: ModelsConfig = ModelsConfig()
    edge: EdgeConfig = EdgeConfig()
    cloud: CloudConfig = CloudConfig()
    telemetry: TelemetryConfig = TelemetryConfig()
