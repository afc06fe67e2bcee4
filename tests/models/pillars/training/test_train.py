"""A network that learns, stops and goes on."""

import json

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'vedette[train]'")

from vedette.errors import ConfigError  # noqa: E402
from vedette.models.pillars.training.network import NetworkConfig  # noqa: E402
from vedette.models.pillars.training.train import (  # noqa: E402
    Schedule,
    TrainConfig,
    Trainer,
    learning_rate,
    train,
)

SMALL = NetworkConfig(point_width=8, widths=(8, 8, 8), depths=(0, 0, 0), neck_width=8, head_width=8)


@pytest.fixture(autouse=True)
def one_thread():
    """As training is run beside other work."""
    torch.set_num_threads(1)


def weights(trainer):
    return torch.cat([value.detach().double().flatten() for value in trainer.network.state_dict().values()])


def test_fifty_steps_lower_the_loss(samples):
    """The mean of the last ten below two thirds of the mean of the first ten."""
    trainer = Trainer(TrainConfig(steps=50, batch=2, network=SMALL), samples)
    losses = [trainer.advance().total.item() for _ in range(50)]
    assert sum(losses[-10:]) < 0.67 * sum(losses[:10])


def test_going_on_from_a_checkpoint_is_as_if_there_had_been_no_break(samples, tmp_path):
    """The same weights, bit for bit."""
    config = TrainConfig(steps=6, batch=2, network=SMALL)
    whole = Trainer(config, samples)
    for _ in range(6):
        whole.advance()
    first = Trainer(config, samples)
    for _ in range(3):
        first.advance()
    first.save(tmp_path / "checkpoint.pt")
    second = Trainer(config, samples)
    second.load(tmp_path / "checkpoint.pt")
    assert second.step == 3
    for _ in range(3):
        second.advance()
    assert torch.equal(weights(whole), weights(second))


def test_another_seed_gives_another_network(samples):
    """And the same seed the same."""
    first, same, other = (Trainer(TrainConfig(network=SMALL, seed=seed), samples) for seed in (0, 0, 1))
    assert torch.equal(weights(first), weights(same))
    assert not torch.equal(weights(first), weights(other))


def test_a_checkpoint_of_another_configuration_is_refused(samples, tmp_path):
    """Going on with other settings would be neither run."""
    Trainer(TrainConfig(steps=6, network=SMALL), samples).save(tmp_path / "checkpoint.pt")
    with pytest.raises(ConfigError, match="was made with"):
        Trainer(TrainConfig(steps=7, network=SMALL), samples).load(tmp_path / "checkpoint.pt")


def test_too_few_samples_are_said_so(samples):
    """Twelve are no batch of sixteen."""
    with pytest.raises(ConfigError, match="12 samples; expected at least a batch of 16"):
        Trainer(TrainConfig(batch=16, network=SMALL), samples)


def test_the_learning_rate_rises_and_falls():
    """A tenth, the whole, nothing."""
    config = TrainConfig(steps=100, warm_up=0.2, learning_rate=1.0)
    assert learning_rate(config, 0) == pytest.approx(0.1)
    assert learning_rate(config, 20) == pytest.approx(1.0)
    assert learning_rate(config, 60) == pytest.approx(0.5)
    assert learning_rate(config, 100) == pytest.approx(0.002)


def test_a_run_leaves_a_log_and_a_checkpoint(samples, tmp_path):
    """Losses and figures where asked for, figures of all at the end; time up stops it and nothing is lost."""
    trainer = Trainer(TrainConfig(steps=4, batch=1, network=SMALL), samples)
    train(trainer, samples, tmp_path, Schedule(log_steps=4, evaluate_steps=2, evaluate_samples=1))
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == [2, 4, 4, 4]
    assert "heat_loss" in lines[1]
    assert "ap.r40.car.bev.0.5" in lines[-1]
    late = Trainer(TrainConfig(steps=4, batch=1, network=SMALL), samples)
    train(late, samples, tmp_path, Schedule(minutes=0.0))
    late.load(tmp_path / "checkpoint.pt")
    assert late.step == 0
