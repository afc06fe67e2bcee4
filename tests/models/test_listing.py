"""Which models there are."""

import json

import pytest

from vedette.models.cards import read_card
from vedette.models.catalog import known_cards
from vedette.models.listing import absent_models, is_non_commercial, listed_model
from vedette.models.pulling import UPSTREAM
from vedette.models.store import ModelStore


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ("Apache-2.0", False),
        ("MIT (code and weights); trained on KITTI, CC BY-NC-SA 3.0, so for non-commercial use", True),
        ("CC BY-NC 4.0", True),
        ("non-commercial (KITTI)", True),
        ("Noncommercial", True),
        ("for research use only", True),
        ("AGPL-3.0", False),
        ("commercial licence of Example AG", False),
        ("CC BY 4.0", False),
    ],
)
def test_licences_that_forbid_commercial_use(licence, expected):
    """As people write them on cards."""
    assert is_non_commercial(licence) is expected


def test_where_a_model_comes_from(tmp_path, constant_model, write_card, nanodet_rows):
    """The user's folder, or the package."""
    model = constant_model(nanodet_rows)
    store = ModelStore(tmp_path / "models", tmp_path / "packaged")
    packaged = ModelStore(tmp_path / "packaged").put(model, read_card(write_card(model)))
    mine = store.put(model, read_card(write_card(model, version="2", licence="CC BY-NC 4.0")))
    assert [listed_model(one, store).origin for one in (packaged, mine)] == ["packaged", "yours"]
    assert listed_model(mine, store).size_bytes == model.stat().st_size
    assert [listed_model(one, store).is_non_commercial for one in (packaged, mine)] == [False, True]


def test_what_is_not_here_has_a_next_step():
    """Whatever the catalogue knows, once; what no hash tells from another is downloaded by hand."""
    absent = {one.label.partition("@")[0]: one for one in absent_models(set())}
    assert set(absent) == {card.name for card in known_cards()} | set(UPSTREAM)
    assert absent["yolox-nano"].next_step == (
        "download https://github.com/Megvii-BaseDetection/YOLOX/releases/download/0.1.1rc0/yolox_nano.onnx, and"
        " vedette models import yolox_nano.onnx --family yolox --name yolox-nano"
    )
    assert absent["deeplab-cityscapes"].next_step == "vedette models import PATH/deeplab_cityscapes_slim_513.onnx"
    assert all(one.title and one.licence and one.origin == "catalogue" for one in absent.values())
    assert "yolox-nano" not in {one.label.partition("@")[0] for one in absent_models({"yolox-nano"})}


@pytest.fixture
def imported(invoke, constant_model, write_card, car_rows):
    """The tiny model with a licence that forbids commercial use."""
    card = write_card(sha256=None, licence="CC BY-NC 4.0")
    assert invoke("import", constant_model(car_rows), "--card", card).exit_code == 0


def test_list_as_json(invoke, imported, tmp_path):
    """The one schema of every command; standard output has nothing else."""
    result = invoke("list", "--json", "-")
    document = json.loads(result.stdout)
    assert set(document) == {"schema", "command", "config", "runs"}
    assert document["config"] == {"models.folder": str(tmp_path / "models")}
    runs = {run["label"]: run for run in document["runs"]}
    assert (runs["tiny@1"]["origin"], runs["tiny@1"]["non_commercial"]) == ("yours", True)
    assert runs["camera2d-world@1"]["origin"] == "packaged"
    assert (runs["yolox-nano@1"]["origin"], runs["yolox-nano@1"]["size_bytes"]) == ("catalogue", None)
    assert "tiny@1" in result.stderr


def test_list_marks_licences(invoke, imported):
    """And says how to get what is not here."""
    output = invoke("list").output
    (row,) = [line for line in output.splitlines() if line.strip().startswith("tiny@1")]
    assert "non-commercial" in row
    assert "yours" in row
    assert "to get point-gnn-car@1: vedette models import PATH/point_gnn_car_T1.onnx" in output


def test_show_as_json(invoke, imported, tmp_path):
    """The whole card, and where it is."""
    assert invoke("show", "tiny", "--json", tmp_path / "show.json").exit_code == 0
    (run,) = json.loads((tmp_path / "show.json").read_text())["runs"]
    assert (run["name"], run["family"], run["origin"], run["non_commercial"]) == ("tiny", "nanodet_plus", "yours", True)
    assert run["classes"] == ["person", "bicycle", "car"]
