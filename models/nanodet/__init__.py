"""NanoDet-Plus (RangiLyu/nanodet, Apache-2.0): a small 2D detector that misses little."""

from vedette.models.nanodet.detector import NanoDetDetector

__all__ = ["NanoDetDetector"]
