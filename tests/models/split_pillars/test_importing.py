"""From a user's two files to a running detector."""

import numpy as np
import pytest
from typer.testing import CliRunner

from vedette.cli.main import app
from vedette.errors import ModelCardError, ModelError, ModelHashError, ModelLoadError
from vedette.models.cards import read_card
from vedette.models.preparing import prepare
from vedette.models.registry import ModelRegistry


@pytest.fixture
def registry(tmp_path):
    """An empty one."""
    return ModelRegistry(tmp_path / "models", packaged=tmp_path / "packaged")


@pytest.fixture
def files(write_backbone, write_encoder, one_car):
    """Backbone and encoder."""
    return write_backbone(one_car), write_encoder(np.ones((10, 2)))


def test_two_files_make_one_model(registry, files, write_split_card, centre_keys, car_box, sweep, camera):
    """The card lacks what the files tell; the stored one is complete."""
    backbone, encoder = files
    card = registry.import_file(backbone, card=write_split_card(centre_keys), voxel_encoder=encoder)
    stored = registry.store.find("theirs")
    assert registry.list() == [card]
    assert read_card(stored.folder / "card.yaml") == card
    assert sorted(path.name for path in stored.folder.iterdir()) == ["card.yaml", "model.onnx", "voxel_encoder.onnx"]
    assert (card.family, card.file, card.companions[0].file) == ("split_pillars", backbone.name, encoder.name)
    assert card.companions[0].inputs[0].shape == ("pillars", 3, 10)
    found = registry.load_detector3d("theirs").detect(sweep, camera)
    np.testing.assert_allclose(found.boxes_velo, [car_box], atol=1e-6)
    assert prepare(registry, "theirs").label == "theirs@1"


def test_importing_twice_is_importing_once(registry, files, write_split_card, centre_keys):
    """Nothing changes."""
    cards = [
        registry.import_file(files[0], card=write_split_card(centre_keys), voxel_encoder=files[1]) for _ in range(2)
    ]
    assert cards[0] == cards[1]
    assert len(registry.list()) == 1


def test_another_encoder_is_another_model(registry, files, write_encoder, write_split_card, centre_keys):
    """The same backbone under the same name is not enough."""
    registry.import_file(files[0], card=write_split_card(centre_keys), voxel_encoder=files[1])
    other = write_encoder(np.full((10, 2), 2.0))
    with pytest.raises(ModelError, match="already there with another content"):
        registry.import_file(files[0], card=write_split_card(centre_keys), voxel_encoder=other)


def test_a_damaged_encoder_is_found(registry, files, write_split_card, centre_keys):
    """Its hash is on the card as well; importing again mends it."""
    registry.import_file(files[0], card=write_split_card(centre_keys), voxel_encoder=files[1])
    path = registry.store.find("theirs").companion_paths["voxel_encoder"]
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(ModelHashError, match=r"voxel_encoder\.onnx: SHA-256"):
        registry.load_detector3d("theirs")
    registry.import_file(files[0], card=write_split_card(centre_keys), voxel_encoder=files[1])
    registry.load_detector3d("theirs")


@pytest.mark.parametrize("wrong", ["backbone", "encoder"])
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_model_that_answers_no_numbers_is_refused(
    registry, write_backbone, write_encoder, one_car, write_split_card, centre_keys, wrong, number
):
    """The first frame is run before anything is stored."""
    weights = np.ones((10, 2))
    if wrong == "backbone":
        one_car["height"][0, 0, 3, 3] = number
    else:
        weights[2, 1] = number
    with pytest.raises(ModelError, match="is not finite; expected numbers"):
        registry.import_file(
            write_backbone(one_car), card=write_split_card(centre_keys), voxel_encoder=write_encoder(weights)
        )
    assert registry.list() == []


def test_boxes_of_no_road_user_are_refused(
    registry, write_backbone, write_encoder, one_car, write_split_card, centre_keys
):
    """As where sizes are read as logarithms and are none."""
    one_car["dim"][0, :, 1, 2] = 5.0  # e to the power of 5: 148 m
    with pytest.raises(ModelError, match="a box has a side of 148 m; expected at most 100"):
        registry.import_file(
            write_backbone(one_car), card=write_split_card(centre_keys), voxel_encoder=write_encoder(np.ones((10, 2)))
        )


def test_a_class_that_is_no_word_of_the_table_is_refused(registry, files, write_split_card, centre_keys):
    """It would be no object, and nobody would know why."""
    card = write_split_card(centre_keys, classes=("CAR", "FLURB"))
    with pytest.raises(ModelCardError, match="map to nothing: FLURB"):
        registry.import_file(files[0], card=card, voxel_encoder=files[1])


def test_files_the_wrong_way_round(registry, files, write_split_card, centre_keys):
    """Said as shapes."""
    with pytest.raises(ModelLoadError, match=r"the backbone takes float32 voxels \['pillars', 3, 10\]"):
        registry.import_file(files[1], card=write_split_card(centre_keys), voxel_encoder=files[0])


def test_without_the_encoder(registry, files, write_split_card, centre_keys):
    """The flag is named."""
    tensors = {
        "inputs": [{"name": "spatial_features", "dtype": "float32", "shape": [1, 2, 8, 8]}],
        "outputs": [
            {"name": name, "dtype": "float32", "shape": [1, channels, 4, 4]}
            for name, channels in [("heatmap", 2), ("reg", 2), ("height", 1), ("dim", 3), ("rot", 2), ("vel", 2)]
        ],
    }
    card = write_split_card(centre_keys, family="split_pillars", task="detect3d", file="x.onnx", **tensors)
    with pytest.raises(ModelCardError, match="import with --voxel-encoder FILE"):
        registry.import_file(files[0], card=card)


def test_without_the_encoder_that_the_card_speaks_of(registry, files, write_split_card, centre_keys):
    """A stored card, taken to another machine."""
    card = registry.import_file(files[0], card=write_split_card(centre_keys), voxel_encoder=files[1])
    told = {key: card.model_dump(mode="json")[key] for key in ("inputs", "outputs", "companions")}
    again = write_split_card(centre_keys, family="split_pillars", task="detect3d", file="x.onnx", **told)
    with pytest.raises(ModelLoadError, match=rf"{files[1].name} is not given; import with --voxel-encoder FILE"):
        registry.import_file(files[0], card=again)


def test_an_encoder_of_half_precision(registry, files, write_split_card, centre_keys, tmp_path):
    """NVIDIA's exports have one; its type is named."""
    import onnx

    model = onnx.load(files[1])
    model.graph.node.append(onnx.helper.make_node("Cast", ["pillar_features"], ["half"], to=onnx.TensorProto.FLOAT16))
    model.graph.output[0].CopyFrom(onnx.helper.make_tensor_value_info("half", onnx.TensorProto.FLOAT16, ["pillars", 2]))
    onnx.save(model, tmp_path / "half.onnx")
    with pytest.raises(ModelLoadError, match=r"half\.onnx: has half tensor\(float16\); expected float32"):
        registry.import_file(files[0], card=write_split_card(centre_keys), voxel_encoder=tmp_path / "half.onnx")


def test_keys_of_this_family_are_for_no_other(registry, files, write_split_card, centre_keys):
    """A card that says both is misread by somebody."""
    with pytest.raises(ModelCardError, match="family pillars has no keys split_pillars and companions"):
        registry.import_file(files[0], card=write_split_card(centre_keys, family="pillars"), voxel_encoder=files[1])


def test_the_command(files, write_split_card, centre_keys, tmp_path):
    """One model from two files; several backbones share no encoder."""
    backbone, encoder = files
    options = ["--voxel-encoder", str(encoder), "--card", str(write_split_card(centre_keys))]
    options += ["--models-dir", str(tmp_path / "models")]
    result = CliRunner().invoke(app, ["models", "import", str(backbone), *options])
    assert (result.exit_code, result.stdout.split()[0]) == (0, "theirs@1")
    result = CliRunner().invoke(app, ["models", "import", str(backbone), str(backbone), *options])
    assert result.exit_code != 0
