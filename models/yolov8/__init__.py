"""YOLOv8 and its kin (v9, v10, v11): detectors whose exports give whole boxes, so that nothing is left to decode."""

from vedette.models.yolov8.detector import YoloV8Detector

__all__ = ["YoloV8Detector"]
