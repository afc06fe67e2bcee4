"""A small 2D detector of our own, with a mask for every object, trained in the generated world.

Boxes are found on two grids of cells (`decode`); masks are sums of a few maps that all objects share, weighed for each
object (`masks`). `training` holds what needs torch.
"""

from vedette.models.camera2d.detector import Camera2dDetector

__all__ = ["Camera2dDetector"]
