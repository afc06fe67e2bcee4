"""The way to a running model: found by name, its hash verified, its session built, its family's runtime around it."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

from vedette.detections import Detections3D, Detector2D, Detector3D
from vedette.errors import ModelCardError, ModelError, ModelLoadError
from vedette.models.box_detector import BoxDetector
from vedette.models.camera2d import Camera2dDetector
from vedette.models.cards import ModelCard, Task, checked_card, read_card
from vedette.models.catalog import known_cards, recognise
from vedette.models.class_names import require_known
from vedette.models.deeplab import DeepLabSegmenter, MaskingDetector
from vedette.models.engines import EngineBuild, EngineCache
from vedette.models.first_frame import check_first_frame, check_sizes
from vedette.models.nanodet import NanoDetDetector
from vedette.models.onnx_parts import files_beside
from vedette.models.own_exports import OwnExport, card_of_export
from vedette.models.pillars import FullCircleDetector, PillarsDetector
from vedette.models.point_gnn import PointGnnDetector
from vedette.models.preprocess_keys import USUAL_PREPROCESS
from vedette.models.sessions import OnnxModel, SessionOptions
from vedette.models.split_pillars import SplitPillarsDetector
from vedette.models.split_pillars.importing import card_from_files, run_first_frame
from vedette.models.split_pillars.network import ENCODER
from vedette.models.store import PACKAGED_FOLDER, ModelStore, sha256_of
from vedette.models.trial_inputs import trial_camera, trial_image, trial_sweep
from vedette.models.yolov8 import YoloV8Detector
from vedette.models.yolox import YoloxDetector

_ENGINES = ".engines"


class ModelRegistry:
    """Imports models into a folder, and loads them from it.

    Args:
        folder: the user's models, `<name>/<version>/` each. A leading `~` is the home folder.
        providers: ONNX Runtime execution providers in order of preference; those not there are skipped and logged.
        threads: threads per session; more lowers latency, takes cores from others.
        packaged: further models, only read.
    """

    def __init__(
        self,
        folder: Path,
        providers: Sequence[str] = ("CPUExecutionProvider",),
        threads: int = 1,
        packaged: Path = PACKAGED_FOLDER,
    ) -> None:
        self.store = ModelStore(folder, packaged)
        self.engines = EngineCache(self.store.folder / _ENGINES)
        self._options = SessionOptions(tuple(providers), threads, self.engines)

    def making_engines(self, build: EngineBuild) -> ModelRegistry:
        """The same registry, whose models leave behind the engines that are missing.

        Args:
            build: keeps account of them.
        """
        twin = copy(self)
        twin._options = replace(self._options, build=build)
        return twin

    def list(self) -> Sequence[ModelCard]:
        """The cards of all models, by name and version.

        Raises:
            ModelCardError: a card cannot be used.
        """
        return [self.store.get(folder).card for folder in self.store.model_folders()]

    def load_detector2d(self, name: str, score_threshold: float, mask_model: str | None = None) -> Detector2D:
        """Load a detector for images.

        Args:
            name: `name` for the highest version, or `name@version`.
            score_threshold: in [0, 1]; lower finds more, with false alarms.
            mask_model: segmentation model that gives the boxes masks; None for what the detector itself gives.

        Raises:
            UnknownModelError: no such model.
            ModelError: it cannot be used, or is of another task.
        """
        detector = _detector2d(self.open(name, "detect2d"), score_threshold)
        if mask_model is None:
            return detector
        return MaskingDetector(detector, self.load_segmenter(mask_model))

    def load_segmenter(self, name: str) -> DeepLabSegmenter:
        """Load a model that gives every pixel a class.

        Args:
            name: `name` for the highest version, or `name@version`.

        Raises:
            UnknownModelError: no such model.
            ModelError: it cannot be used, or is of another task.
        """
        return DeepLabSegmenter(self.open(name, "segment"))

    def load_detector3d(self, name: str, *, full_circle: bool = False) -> Detector3D:
        """Load a detector for sweeps.

        Args:
            name: `name` for the highest version, or `name@version`.
            full_circle: it looks all around, and not only where the camera looks, in several times the time.

        Raises:
            UnknownModelError: no such model.
            ModelError: it cannot be used, is of another task, or cannot look all around.
        """
        detector = _detector3d(self.open(name, "detect3d"))
        if not full_circle:
            return detector
        if not isinstance(detector, PillarsDetector):
            raise ModelError(f"{detector.name}: reads what the camera sees; the full circle is for the family pillars")
        return FullCircleDetector(detector)

    def open(self, name: str, task: Task | None = None) -> OnnxModel:
        """Load a model as it is, for arrays in and out.

        Args:
            name: `name` for the highest version, or `name@version`.
            task: what it must be for; None for anything.

        Raises:
            UnknownModelError: no such model.
            ModelCardError: its card cannot be used, or says another task.
            ModelHashError: the file is not the one that the card speaks about.
            ModelLoadError: the runtime refuses it.
        """
        stored = self.store.find(name)
        if task not in {None, stored.card.task}:
            raise ModelCardError(f"{stored.card.label} is a model for {stored.card.task}; expected one for {task}")
        stored.verify()
        return OnnxModel(stored.model_path, stored.card, self._options, stored.companion_paths)

    def import_file(
        self,
        path: Path,
        name: str | None = None,
        card: Path | None = None,
        version: str | None = None,
        *,
        voxel_encoder: Path | None = None,
        export: OwnExport | None = None,
    ) -> ModelCard:
        """Take a model into the folder; doing so again changes nothing.

        Args:
            path: the ONNX file, in one piece (no external data).
            name: to store it under; the card's by default.
            card: YAML card of an export of your own; not needed for the published files of the catalogue. Its
                `sha256` may be left out.
            version: to store it under; the card's by default.
            voxel_encoder: the first file of a pillar network that is split at the scatter; `path` is then the second,
                and what the two files tell may be left out on the card.
            export: what is to be known of a 2D export of your own, whose card is then written here; not with `card`.

        Returns:
            The card as stored.

        Raises:
            ModelCardError: an unknown file without a card, or a card that cannot be used.
            ModelHashError: the card is of another file.
            ModelLoadError: the file is not in one piece, the runtime refuses it, or its inputs and outputs are not the
                card's, or not those of the card's family and classes.
            ModelError: the first frame fails, the name and version are taken by another model, or a file cannot be read
                or written.
        """
        sha256 = sha256_of(path)
        companions = {} if voxel_encoder is None else {ENCODER: voxel_encoder}
        told = {} if voxel_encoder is None else card_from_files(path, voxel_encoder)
        for file in (path, *companions.values()):
            _check_in_one_piece(file)
        chosen = {key: value for key, value in (("name", name), ("version", version)) if value is not None}
        if export is not None:
            described = checked_card({**card_of_export(path, export), "sha256": sha256, **chosen}, path)
        else:
            described = _describe(path, {**told, "sha256": sha256}, card, chosen)
        _try_out(OnnxModel(path, described, SessionOptions(), companions))
        return self.store.put(path, described, companions).card


def _check_in_one_piece(path: Path) -> None:
    """A model is one file with one hash; the runtime would read others from beside it, while they are there."""
    try:
        beside = files_beside(path.read_bytes())
    except ModelLoadError as error:
        raise ModelLoadError(f"{path}: {error}") from error
    if beside:
        raise ModelLoadError(
            f"{path}: keeps numbers in other files ({', '.join(beside)[:200]}); expected a file in one piece: with"
            " Python's onnx, onnx.save(onnx.load(FILE), NEW_FILE)"
        )


def _detector2d(model: OnnxModel, score_threshold: float) -> Detector2D:
    match model.card.family:
        case "nanodet" | "nanodet_plus":
            return NanoDetDetector(model, score_threshold)
        case "camera2d":
            return Camera2dDetector(model, score_threshold)
        case "yolov8":
            return YoloV8Detector(model, score_threshold)
        case _:
            return YoloxDetector(model, score_threshold)


def _detector3d(model: OnnxModel) -> Detector3D:
    match model.card.family:
        case "pillars":
            return PillarsDetector(model)
        case "split_pillars":
            return SplitPillarsDetector(model)
        case _:
            return PointGnnDetector(model)


def _try_out(model: OnnxModel) -> None:
    """Use the model once: its runtime knows what its family's inputs and outputs must be, a frame shows the rest."""
    match model.card.task:
        case "detect2d":
            _try_detector2d(_detector2d(model, score_threshold=1.0))
        case "segment":
            DeepLabSegmenter(model).class_map(trial_image())
        case "detect3d":
            check_sizes(model.card.label, _first_boxes(_detector3d(model), model.card))


def _first_boxes(detector: Detector3D, card: ModelCard) -> Detections3D:
    if isinstance(detector, SplitPillarsDetector):
        return run_first_frame(detector, card)
    return detector.detect(trial_sweep(), trial_camera())


def _try_detector2d(detector: Detector2D) -> None:
    if isinstance(detector, BoxDetector):
        check_first_frame(detector)
    else:
        detector.detect(trial_image())


def _describe(path: Path, told: dict[str, Any], card: Path | None, chosen: dict[str, str]) -> ModelCard:
    """The card to store: the user's, with what the files tell where it says nothing, or the catalogue's."""
    if card is not None:
        described = read_card(card, defaults=told, overrides=chosen)
        if described.task != "segment":  # whose maps have roads and skies too
            require_known(described.classes, described.labels)
        return described
    sha256 = str(told["sha256"])
    known = recognise(sha256)
    if known is None:
        files = ", ".join(one.file for one in known_cards())
        raise ModelCardError(
            f"{path}: not one of the published files that need no card ({files}; this SHA-256 is {sha256}): for a"
            f" 2D export of your own say which with --family {'|'.join(USUAL_PREPROCESS)}; describe any other in a card"
            " and give --card CARD.yaml (`vedette models show NAME` prints one to start from)"
        )
    return checked_card({**known.model_dump(), **chosen}, path)
