"""The TorchRL adapter against the real library: its own checks, and the same games as our vector environment."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from atlantis_envs.adapters.gymnasium_env import SeatVectorEnv
from atlantis_envs.errors import IllegalActionError, OptionError
from atlantis_envs.registry import GAMES

pytest.importorskip("torchrl", reason="TorchRL is not installed: extra torchrl")
import torch
from torchrl.envs.utils import check_env_specs

from atlantis_envs.adapters.torchrl import SeatTorchEnv, aec_env

SMALL: dict[str, dict[str, Any]] = {
    "atlandice": {"players": 3},
    "atlantis": {"players": 2},
    "atlantis_rising": {"players": 2, "round_limit": 2, "learner_seat": "all"},
}


@pytest.mark.parametrize("name", GAMES)
def test_the_batched_environment_passes_torchrls_check(name: str) -> None:
    env = SeatTorchEnv(4, name, **SMALL[name])
    env.set_seed(5)
    check_env_specs(env, seed=3)


@pytest.mark.parametrize("name", GAMES)
def test_the_environment_of_all_seats_passes_torchrls_check(name: str) -> None:
    settings = {key: value for key, value in SMALL[name].items() if key != "learner_seat"}
    check_env_specs(aec_env(name, **settings, illegal="raise"), seed=3)


def test_it_plays_the_games_of_the_vector_environment() -> None:
    env = SeatTorchEnv(5, "atlandice", 3)
    env.set_seed(11)
    lanes = SeatVectorEnv(5, game="atlandice", players=3, flat=True, autoreset_mode="DISABLED")
    played = env.rollout(200, break_when_any_done=False)
    observations, infos = lanes.reset(seed=11)
    ends = 0
    for step in range(200):
        now, following = played[:, step], played[:, step]["next"]
        assert (now["observation"].numpy() == observations).all()
        assert (now["action_mask"].numpy() == (infos["action_mask"] != 0)).all()
        observations, rewards, terminated, truncated, infos = lanes.step(now["action"].numpy())
        assert (following["observation"].numpy() == observations).all()
        assert (following["reward"][:, 0].numpy() == rewards).all()
        assert (following["terminated"][:, 0].numpy() == terminated).all()
        assert (following["truncated"][:, 0].numpy() == truncated).all()
        over = terminated | truncated
        assert following["action_mask"][torch.from_numpy(over)].all()
        ends += int(over.sum())
        if over.any():
            observations, infos = lanes.reset(options={"reset_mask": over})
    assert ends > 3


def test_all_seats_end_together_and_are_paid_what_the_game_pays() -> None:
    torch.manual_seed(2)
    env = aec_env("atlandice", 3, illegal="raise")  # an illegal action would raise
    played = env.rollout(2_000)
    assert played["next", "done"][-1].all() and not played["next", "done"][:-1].any()
    groups = [f"player_{seat}" for seat in range(3)]
    present = torch.stack([played[group, "mask"][:, 0] for group in groups])
    assert (present.sum(0) == 1).all()  # one agent is to move at a time
    paid = [float(played["next", group, "reward"].sum()) for group in groups]
    assert sum(paid) == pytest.approx(0) and max(paid) > 0


def test_a_masked_policy_learns_nothing_illegal_and_gets_gradients() -> None:
    from tensordict.nn import TensorDictModule
    from torchrl.collectors import Collector
    from torchrl.modules import MaskedCategorical, ProbabilisticActor

    env = SeatTorchEnv(4, "atlandice", 3)
    net = torch.nn.Linear(env.lanes.game.observation_size, env.lanes.game.num_actions)
    actor = ProbabilisticActor(
        TensorDictModule(net, ["observation"], ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    collector = Collector(env, actor, frames_per_batch=400, total_frames=400)
    (batch,) = list(collector)
    assert batch["next", "done"].any()
    chosen = batch["action_mask"].gather(-1, batch["action"].unsqueeze(-1))
    assert chosen.all()
    loss = -(actor.get_dist(batch).log_prob(batch["action"]) * batch["next", "reward"][..., 0]).mean()
    loss.backward()
    assert net.weight.grad is not None and bool(net.weight.grad.abs().sum() > 0)


def test_bad_values_are_refused() -> None:
    with pytest.raises(OptionError, match="players"):
        SeatTorchEnv(2, "atlandice", 9)
    with pytest.raises(OptionError, match="tiles"):
        aec_env("atlantis", tiles=2)
    env = SeatTorchEnv(2, "atlandice", 3)
    start = env.reset()
    bad = np.flatnonzero(~start["action_mask"][0].numpy())[0]
    with pytest.raises(IllegalActionError, match="not legal"):
        env.step(start.set("action", torch.full((2,), int(bad))))


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    from atlantis_training.examples import torchrl_ppo

    torchrl_ppo.main(["--updates", "1", "--games", "20"])
    lines = capsys.readouterr().out.splitlines()
    assert "4,096 decisions" in lines[0]
    assert [line.split(":")[0] for line in lines[1:]] == ["seat 0", "seat 1", "seat 2"]
