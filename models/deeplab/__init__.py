"""DeepLab on street scenes: a class for every pixel, and from it masks for the boxes of a 2D detector."""

from vedette.models.deeplab.masks import MaskingDetector, instance_masks
from vedette.models.deeplab.segmenter import DeepLabSegmenter

__all__ = ["DeepLabSegmenter", "MaskingDetector", "instance_masks"]
