"""The guide's examples are cards."""

import re
from pathlib import Path

import pytest
import yaml

from vedette.models.cards import checked_card
from vedette.models.labels import channel_class_ids
from vedette.models.pillar_keys import AnchorHead, CentreHead, PillarGrid, SplitPillars

GUIDE = Path(__file__).parents[3] / "docs" / "models-import.md"
EXAMPLES = [
    block
    for block in re.findall(r"```yaml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)
    if "split_pillars" in block
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples(example):
    """With what import adds from the files they are complete."""
    tensor = {"name": "any", "dtype": "float32", "shape": [1]}
    told = {"family": "split_pillars", "task": "detect3d", "inputs": [tensor], "outputs": [tensor], "file": "x.onnx"}
    card = checked_card({**yaml.safe_load(example), **told, "sha256": "0" * 64}, GUIDE)
    assert card.split_pillars is not None
    assert (channel_class_ids(card) >= 0).all()


def test_both_heads_are_shown():
    """An example of each."""
    kinds = {yaml.safe_load(example)["split_pillars"]["head"]["kind"] for example in EXAMPLES}
    assert kinds == {"centres", "anchors"}


@pytest.mark.parametrize("model", [SplitPillars, PillarGrid, CentreHead, AnchorHead])
def test_every_key_is_explained(model):
    """In the guide's tables."""
    text = GUIDE.read_text(encoding="utf-8")
    assert not [name for name in model.model_fields if not re.search(rf"`(\w+\.)?{name}(\.\w+)?`", text)]
