"""Users' own pillar networks, exported in two ONNX files that are split at the scatter.

Their runtimes, Autoware's CenterPoint and OpenPCDet's PointPillars among them, run the same two graphs and differ in
what is around them; `vedette.models.pillar_keys` has the keys for that.

| module        | idea                                                          |
|---------------|---------------------------------------------------------------|
| `features`    | from points to decorated pillars                              |
| `network`     | the two files, with the scatter between them                  |
| `centre_head` | boxes from heat maps                                          |
| `anchor_head` | boxes from anchors                                            |
| `candidates`  | what both heads give, and which of them stay                  |
| `detector`    | all of it                                                     |
| `importing`   | what a card can take from the files, and the first frame      |
"""

from vedette.models.split_pillars.detector import SplitPillarsDetector

__all__ = ["SplitPillarsDetector"]
