"""From 2D detections to 3D boxes: project the sweep, filter each object's points, fit a box to them."""
