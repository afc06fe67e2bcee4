"""Pillars: a LiDAR detector that sees the scene from above, on a grid of columns of points.

After PointPillars (Lang et al., CVPR 2019) and CenterPoint (Yin et al., CVPR 2021). Trained in our own world; see
`training`.

| module     | idea                                                                 |
|------------|----------------------------------------------------------------------|
| `ground`   | the road as a plane, on which a sweep is put level                   |
| `grid`     | where the pillars stand, and the cells of the network's answer       |
| `features` | from points to pillars                                               |
| `network`  | the ONNX graph, run in two parts with a maximum between them         |
| `mirror`   | the scene with left and right swapped, as a second opinion           |
| `box_code` | a box as the ten numbers that the network gives for a cell           |
| `around`   | the full circle in views like the camera's                           |
| `decode`   | from the network's maps to boxes                                     |
| `detector` | all of it                                                            |
| `training` | how the weights were made; needs the extra `train`                   |
"""

from vedette.models.pillars.detector import FullCircleDetector, PillarsDetector

__all__ = ["FullCircleDetector", "PillarsDetector"]
