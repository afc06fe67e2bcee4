"""A network that learns, stops and goes on."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'vedette[train]'")

from vedette.errors import ConfigError  # noqa: E402
from vedette.models.pillars.training.evaluate import evaluate, network_finder  # noqa: E402
from vedette.models.pillars.training.mixture import Share  # noqa: E402
from vedette.models.pillars.training.network import NetworkConfig  # noqa: E402
from vedette.models.pillars.training.pasting import bank_of  # noqa: E402
from vedette.models.pillars.training.trainer import (  # noqa: E402
    TrainConfig,
    Trainer,
    averaged_weights,
    learning_rate,
    read_state,
)

SMALL = NetworkConfig(point_width=8, widths=(8, 8, 8), depths=(0, 1, 1), neck_width=8, head_width=8)
FINE = replace(SMALL, depths=(1, 1, 1), join_size=3, stride=1)


@pytest.fixture(autouse=True)
def one_thread():
    """As training is run beside other work."""
    torch.set_num_threads(1)


@pytest.fixture
def make_trainer(samples):
    """A trainer on twelve scenes, whose cars it may paste too."""
    return lambda config: Trainer(config, [Share(samples)], bank_of(samples))


def weights(network):
    return torch.cat([value.detach().double().flatten() for value in network.state_dict().values()])


def mean_losses(trainer, steps, window):
    """Over the first and the last steps of some."""
    losses = [trainer.advance().total.item() for _ in range(steps)]
    return np.mean(losses[:window]), np.mean(losses[-window:])


@pytest.mark.parametrize("network", [SMALL, FINE], ids=["half size", "full size"])
def test_fifty_steps_lower_the_loss(make_trainer, network):
    """The mean of the last ten below two thirds of the mean of the first ten."""
    first, last = mean_losses(make_trainer(TrainConfig(steps=50, batch=2, network=network)), 50, 10)
    assert last < 0.67 * first


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_two_thousand_steps_learn_the_scenes(make_trainer, samples):
    """Loss to a quarter, and nearly every car of the scenes is found with IoU over a half, and little else.

    They are never shown as they are: tilted, thinned out, with pasted cars, and partly erased.
    """
    trainer = make_trainer(TrainConfig(steps=2000, batch=2, network=SMALL, averaging=0.99))
    first, last = mean_losses(trainer, 2000, 20)
    assert last < 0.25 * first
    assert evaluate(samples, network_finder(trainer.averaged))["f1.car.bev.0.5.r50"] > 85.0


def test_going_on_from_a_checkpoint_is_as_if_there_had_been_no_break(make_trainer, tmp_path):
    """The same weights, bit for bit."""
    config = TrainConfig(steps=6, batch=2, network=SMALL)
    whole = make_trainer(config)
    for _ in range(6):
        whole.advance()
    first = make_trainer(config)
    for _ in range(3):
        first.advance()
    first.save(tmp_path / "checkpoint.pt")
    second = make_trainer(config)
    second.load(tmp_path / "checkpoint.pt")
    assert second.step == 3
    for _ in range(3):
        second.advance()
    assert torch.equal(weights(whole.network), weights(second.network))
    assert torch.equal(weights(whole.averaged), weights(second.averaged))


def test_averaged_weights_by_hand(make_trainer):
    """The first step's are taken as they are, of the second's so much less; running means and counts of steps too."""
    trainer = make_trainer(TrainConfig(steps=6, batch=2, network=SMALL))
    trainer.advance()
    first = weights(trainer.network)
    assert torch.equal(weights(trainer.averaged), first)
    trainer.advance()
    kept = 2 / 11  # (1 + n) / (10 + n) at n = 1, which is less than 0.999
    names = trainer.network.state_dict()
    counted = torch.cat([torch.full((v.numel(),), not v.is_floating_point()) for v in names.values()])
    expected = torch.where(counted, weights(trainer.network), kept * first + (1 - kept) * weights(trainer.network))
    torch.testing.assert_close(weights(trainer.averaged), expected, atol=1e-6, rtol=1e-6)


def test_averaging_keeps_no_more_than_it_is_told(make_trainer):
    """At 0.1 nine tenths are the last step's."""
    trainer = make_trainer(TrainConfig(steps=6, batch=2, network=SMALL, averaging=0.1))
    trainer.advance()
    first = trainer.network.state_dict()["scene.heat.1.weight"].clone()
    trainer.advance()
    second = trainer.network.state_dict()["scene.heat.1.weight"]
    torch.testing.assert_close(trainer.averaged.state_dict()["scene.heat.1.weight"], 0.1 * first + 0.9 * second)


def test_a_training_may_start_from_another_ones_weights(make_trainer, tmp_path):
    """From its averaged ones, and its steps count from 0."""
    first = make_trainer(TrainConfig(steps=6, batch=2, network=SMALL))
    for _ in range(2):
        first.advance()
    first.save(tmp_path / "checkpoint.pt")
    second = make_trainer(TrainConfig(steps=4, batch=2, network=SMALL, seed=9))
    second.start_from(averaged_weights(read_state(tmp_path / "checkpoint.pt")))
    assert second.step == 0
    assert torch.equal(weights(second.network), weights(first.averaged))
    assert torch.equal(weights(second.averaged), weights(first.averaged))


def test_another_seed_gives_another_network(make_trainer):
    """And the same seed the same."""
    first, same, other = (weights(make_trainer(TrainConfig(network=SMALL, seed=seed)).network) for seed in (0, 0, 1))
    assert torch.equal(first, same)
    assert not torch.equal(first, other)


def test_a_checkpoint_of_another_configuration_is_refused(make_trainer, tmp_path):
    """Going on with other settings would be neither run."""
    make_trainer(TrainConfig(steps=6, network=SMALL)).save(tmp_path / "checkpoint.pt")
    with pytest.raises(ConfigError, match="was made with"):
        make_trainer(TrainConfig(steps=7, network=SMALL)).load(tmp_path / "checkpoint.pt")


def test_the_learning_rate_rises_and_falls():
    """A tenth, the whole, nothing."""
    config = TrainConfig(steps=100, warm_up=0.2, learning_rate=1.0)
    assert learning_rate(config, 0) == pytest.approx(0.1)
    assert learning_rate(config, 20) == pytest.approx(1.0)
    assert learning_rate(config, 60) == pytest.approx(0.5)
    assert learning_rate(config, 100) == pytest.approx(0.002)
