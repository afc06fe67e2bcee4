"""YOLOX (Megvii, Apache-2.0): its Nano is the fastest of the 2D detectors, and misses more."""

from vedette.models.yolox.detector import YoloxDetector

__all__ = ["YoloxDetector"]
