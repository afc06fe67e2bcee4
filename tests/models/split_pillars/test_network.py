"""The two files, and the scatter between them."""

import numpy as np
import pytest
from onnx import helper

from vedette.errors import ModelCardError, ModelError, ModelLoadError
from vedette.models.cards import read_card
from vedette.models.sessions import OnnxModel, SessionOptions
from vedette.models.split_pillars.features import Pillars
from vedette.models.split_pillars.importing import card_from_files
from vedette.models.split_pillars.network import BLOCK, SplitPillarsNetwork


@pytest.fixture
def open_network(write_split_card, sha256):
    """The network of two files and a card's keys."""

    def run(backbone, encoder, keys, **changes):
        told = {**card_from_files(backbone, encoder), "sha256": sha256(backbone)}
        card = read_card(write_split_card(keys, **changes), defaults=told)
        return SplitPillarsNetwork(OnnxModel(backbone, card, SessionOptions(), {"voxel_encoder": encoder}))

    return run


def pillars_at(cells, features):
    """Pillars with nothing left out."""
    return Pillars(features.astype(np.float32), np.array(cells), 0, 0)


@pytest.mark.parametrize(("pillars", "keepdims"), [("pillars", 0), (4, 0), (2, 1), (1, 0)])
def test_rows_of_pillars_stand_where_the_pillars_do(
    open_network, write_encoder, write_mirror, centre_keys, pillars, keepdims
):
    """An encoder that takes the maximum of x, y and z; as many pillars at once as the file takes, padded."""
    weights = np.zeros((10, 3))
    weights[:3] = np.eye(3)
    keys = {**centre_keys, "head": {"kind": "centres", "stride": 1}}
    network = open_network(write_mirror(), write_encoder(weights, pillars=pillars, keepdims=keepdims), keys)
    features = np.random.default_rng(0).uniform(1, 2, (3, 3, 10))
    maps = network.run(pillars_at([3, 8, 61], features))
    expected = np.zeros((3, 8, 8))
    for row, column, own in [(0, 3, 0), (1, 0, 1), (7, 5, 2)]:
        expected[:, row, column] = features[own, :, :3].max(axis=0)
    np.testing.assert_allclose(maps["dim"], expected, rtol=1e-6)
    np.testing.assert_allclose(maps["heatmap"], expected[:2], rtol=1e-6)


def test_more_pillars_than_a_block(open_network, write_encoder, write_mirror, grid, centre_keys):
    """Blocks are put together again: as if all had been run at once."""
    wide = {**grid, "range_m": [0, -4, -2, 8, 4, 2], "max_pillars": 3 * BLOCK}
    keys = {**centre_keys, "grid": wide, "head": {"kind": "centres", "stride": 1}}
    weights = np.zeros((10, 3))
    weights[:3] = np.eye(3)
    network = open_network(write_mirror(), write_encoder(weights), keys)
    features = np.zeros((BLOCK + 5, 3, 10))
    features[:, 0, 0] = np.arange(1, BLOCK + 6)
    maps = network.run(pillars_at(np.minimum(np.arange(BLOCK + 5), 63), features))
    assert maps["heatmap"][0, 0, :3].tolist() == [1, 2, 3]
    assert maps["heatmap"][0, 7, 7] == BLOCK + 5


def test_answers_of_another_shape_than_their_keys_are_refused(open_network, write_encoder, write_mirror, centre_keys):
    """Where the signature leaves the size open, the first frame tells."""
    network = open_network(write_mirror(("H", "W")), write_encoder(np.ones((10, 3))), centre_keys)
    with pytest.raises(ModelError, match=r"heatmap came as \[1, 2, 8, 8\]; expected \[1, 2, 4, 4\]"):
        network.run(pillars_at([0], np.ones((1, 3, 10))))


@pytest.mark.parametrize(("width", "fits"), [(3, True), (4, False)])
def test_an_encoder_whose_signature_lacks_the_shape(
    open_network, write_encoder, write_mirror, centre_keys, tmp_path, width, fits
):
    """As after OpenPCDet's squeeze: the backbone tells how many channels there must be, the first frame whether."""
    import onnx

    model = onnx.load(write_encoder(np.ones((10, width)), keepdims=1))
    model.graph.node.append(helper.make_node("Squeeze", ["pillar_features"], ["squeezed"]))
    model.graph.output[0].CopyFrom(helper.make_tensor_value_info("squeezed", onnx.TensorProto.FLOAT, None))
    onnx.save(model, tmp_path / "squeezed.onnx")
    keys = {**centre_keys, "head": {"kind": "centres", "stride": 1}}
    network = open_network(write_mirror(), tmp_path / "squeezed.onnx", keys)
    pillars = pillars_at([0, 1], np.ones((2, 3, 10)))
    if fits:
        assert network.run(pillars)["heatmap"][:, 0, :3].tolist() == [[10.0, 10.0, 0.0]] * 2
    else:
        with pytest.raises(ModelError, match=rf"the encoder gave \[{BLOCK}, 4\] for {BLOCK} pillars; expected"):
            network.run(pillars)


@pytest.mark.parametrize(
    ("encoder", "backbone", "keys", "says"),
    [
        ({"weights": np.ones((9, 2))}, {}, {}, r"takes float32 voxels \['pillars', 3, 9\]; .* \['pillars', 3, 10\]"),
        ({"points": 20}, {}, {}, r"takes float32 voxels \['pillars', 20, 10\]; .* as max_points"),
        (
            {"weights": np.ones((10, 4))},
            {},
            {},
            r"gives float32 pillar_features \['pillars', 4\]; .* \['pillars', 2\] or .* 2 ch",
        ),
        ({}, {"rows": 10}, {}, r"backbone takes .*\[1, 2, 10, 8\]; .* 'channels', 8, 8\] .* 8 rows, 8 columns"),
        ({}, {}, {"head": {"kind": "centres", "stride": 4}}, r"heatmap \[1, 2, 2, 2\], as 2 classes, stride 4"),
        ({}, {}, {"head": {"kind": "centres", "stride": 2, "maps": [{"heat": "hm"}]}}, r"expected float32 hm \[1, 2"),
    ],
)
def test_files_that_do_not_fit(
    open_network, write_encoder, write_backbone, centre_maps, centre_keys, encoder, backbone, keys, says
):
    """Each other, or the card's keys: what was met and what would be right."""
    encoder_path = write_encoder(**{"weights": np.ones((10, 2)), **encoder})
    with pytest.raises(ModelLoadError, match=says):
        open_network(write_backbone(centre_maps, **backbone), encoder_path, {**centre_keys, **keys})


def test_another_number_of_classes(open_network, write_encoder, write_backbone, centre_maps, centre_keys):
    """Three names for two heat maps."""
    with pytest.raises(ModelLoadError, match=r"expected float32 heatmap \[1, 3, 4, 4\], as 3 classes"):
        open_network(
            write_backbone(centre_maps), write_encoder(np.ones((10, 2))), centre_keys, classes=("CAR", "BUS", "TRUCK")
        )


@pytest.mark.parametrize("layout", ["channels_last", "channels_first"])
def test_both_layouts_of_anchors(open_network, write_encoder, write_backbone, anchor_maps, anchor_keys, layout):
    """OpenPCDet moves channels to the end before they leave, mmdetection3d does not; each is refused as the other."""
    anchor_maps["cls_preds"][0, 1, 2, 3] = 7.0
    maps = anchor_maps
    if layout == "channels_first":
        maps = {name: np.moveaxis(array, -1, 1) for name, array in anchor_maps.items()}
    backbone, encoder = write_backbone(maps), write_encoder(np.ones((10, 2)))
    keys = {**anchor_keys, "head": {**anchor_keys["head"], "layout": layout}}
    answers = open_network(backbone, encoder, keys).run(pillars_at([0], np.ones((1, 3, 10))))
    assert answers["cls_preds"].shape == (8, 4, 4)
    assert answers["cls_preds"][3, 1, 2] == 7.0
    other = "channels_first" if layout == "channels_last" else "channels_last"
    with pytest.raises(ModelLoadError, match="expected float32 cls_preds"):
        open_network(backbone, encoder, {**keys, "head": {**keys["head"], "layout": other}})


def test_a_card_without_the_familys_keys(open_network, write_encoder, write_backbone, centre_maps):
    """The guide is named."""
    with pytest.raises(ModelCardError, match=r"needs the key split_pillars; see docs/models-import\.md"):
        open_network(write_backbone(centre_maps), write_encoder(np.ones((10, 2))), {}, split_pillars=None)
