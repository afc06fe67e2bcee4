"""NanoDet and NanoDet-Plus (RangiLyu/nanodet, Apache-2.0): small 2D detectors; NanoDet-Plus misses little."""

from vedette.models.nanodet.detector import NanoDetDetector

__all__ = ["NanoDetDetector"]
