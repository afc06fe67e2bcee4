"""Point-GNN (Shi and Rajkumar, CVPR 2020; MIT): a LiDAR detector of cars that works on a graph of points."""

from vedette.models.point_gnn.detector import PointGnnDetector

__all__ = ["PointGnnDetector"]
