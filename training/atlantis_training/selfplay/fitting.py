"""Fits a network of policy and values to recorded decisions: odds of a search, and what every seat got.

One trunk, one head: logits of the actions, or one of an afterstate, and behind them those of the shares of all seats.
A state is kept after every pass, so a fit that was killed goes on to the same bytes.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.utils import update_learning_rate

from atlantis_agents.features import with_features
from atlantis_agents.networks.policy import (
    AFTERSTATES,
    OBSERVATIONS,
    RELU,
    SEAT_SHARES,
    Layers,
    inputs_high,
    network_sizes,
    save_policy,
)
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_training.selfplay.checkpoint import CheckpointError, newest_generation, save_generation
from atlantis_training.selfplay.dataset import Demonstrations, Targets
from atlantis_training.selfplay.described import features_for
from atlantis_training.selfplay.network import Trunk, fast_bfloat16, network_layers, take_layers
from atlantis_training.selfplay.settings import ExpertSettings

LAST_RATE = 0.1  # of the first one
MOST_SURPRISE = 8.0  # times the mean: one decision is not to outweigh a batch
ADAM = ("step", "exp_avg", "exp_avg_sq")
FIGURES = ("policy_loss", "value_loss", "agreement", "regret")
CPU, CUDA = DEVICES = ("cpu", "cuda")
HELD_SHARE = 0.5  # of a GPU's free memory that the inputs may take, to be copied there once


def check_device(device: str) -> str:
    """Return the name of what fits a network: ``cpu``, or ``cuda`` where torch sees such a GPU.

    Raises:
        OptionError: naming ``device``.
    """
    allowed = DEVICES if torch.cuda.is_available() else (CPU,)
    if device not in allowed:
        why = " (torch sees no GPU here)" if device in DEVICES else ""
        raise OptionError(f"device: {repr_short(device)}{why}; allowed: {', '.join(allowed)}")
    return device


class PolicyValueNetwork(torch.nn.Module):
    """Outputs of a policy that knows the shares of all seats, over inputs of mean 0 and deviation 1."""

    def __init__(self, high: NDArray[np.uint8], hidden: tuple[int, ...], outputs: int) -> None:
        """Build the layers; ``high`` is the largest byte of each input."""
        super().__init__()
        self.trunk = Trunk(spaces.Box(0, 1, (len(high),), np.float32), high, hidden)
        self.head = torch.nn.Linear(self.trunk.features_dim, outputs)
        torch.nn.init.orthogonal_(self.head.weight, 0.1)
        self.head.bias.data.zero_()

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return outputs, float32 (N, A + S) or (N, 1 + S), of inputs as bytes, uint8 (N, F)."""
        outputs: torch.Tensor = self.head(self.trunk.of_bytes(rows)).float()
        return outputs


@dataclass(frozen=True)
class Rows:
    """Decisions to learn from.

    Attributes:
        inputs: what the network sees, uint8 (N, F); of afterstates all of them, (K, F).
        first: of each decision its first row in ``inputs``, int64 (N,).
        masks: bool (N, A).
        actions: what was played, int64 (N,).
        targets: what is learned.
        weights: of the decisions, float32 (N,), 1 in the mean.
    """

    inputs: NDArray[np.uint8]
    first: NDArray[np.int64]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    targets: Targets
    weights: NDArray[np.float32]


def weights_of(surprise: NDArray[np.float32], share: float) -> NDArray[np.float32]:
    """Weigh decisions: a part of the weight equally, the other by surprise (policy surprise weighting; Wu 2019)."""
    mean = float(surprise.mean())
    if mean <= 0:
        return np.ones(len(surprise), np.float32)
    weights = 1 - share + share * np.minimum(surprise / mean, MOST_SURPRISE)
    return np.asarray(weights / weights.mean(), np.float32)


def rows_of(game: Game, settings: ExpertSettings, found: Demonstrations) -> Rows:
    """Return recorded decisions as a network of these settings learns from them.

    Raises:
        OptionError: they hold no targets.
    """
    if found.targets is None:
        raise OptionError("dataset: it holds no targets; allowed: what `atlantis expert` recorded")
    if settings.value_temperature and found.targets.values is None:
        raise OptionError("value_temperature: the dataset knows no win shares; allowed: 0, or a teacher that searches")
    inputs = found.obs if found.afterstates is None else found.afterstates
    if settings.features:
        inputs = with_features(game, inputs, settings.features_edition)
    counts = np.ones(len(found.obs), np.int64) if found.afterstates is None else found.masks.sum(axis=1)
    weights = weights_of(found.targets.surprise, settings.surprise_share)
    return Rows(inputs, np.cumsum(counts) - counts, found.masks, found.actions, found.targets, weights)


def share_losses(game: Game, outputs: torch.Tensor, shares: torch.Tensor) -> torch.Tensor:
    """Return the cross entropy of what every seat got, nats, float32 (N,); seats not at the table say nothing.

    Args:
        game: that was played.
        outputs: what tells shares, float32 (N, S).
        shares: of the win, float32 (N, S), the mover's first; or (N, 1) of all.
    """
    if game.cooperative:
        return torch.nn.functional.binary_cross_entropy_with_logits(outputs, shares, reduction="none")[:, 0]
    logs = torch.log_softmax(outputs[:, : game.players], dim=1)
    return -(shares[:, : game.players] * logs).sum(dim=1)


def _regret(rows: Rows, batch: NDArray[np.int64], best: NDArray[np.int64]) -> float:
    """Return the mean win share that actions, int64 (B,), lack to the best ones; 0.0 where none is known."""
    if rows.targets.values is None:
        return 0.0
    values = rows.targets.values[batch].astype(np.float32)
    return float((values.max(axis=1) - values[np.arange(len(batch)), best]).mean())


class Fit:
    """A network, and how far it is.

    Args:
        game: what it plays.
        settings: of the iteration.
        number: of the round, for the order of decisions.
        first: layers to begin with; None: random ones.
        device: what computes, ``cpu`` or ``cuda``; the same bytes come of the same one only.

    Attributes:
        network: what is fitted.
        epoch: passes so far.
        figures: of each pass, mean losses, how often the best action was that of the odds, and the win share that it
            lacks by what the teacher expects, which errs; 0 where the teacher expects none.
    """

    def __init__(
        self, game: Game, settings: ExpertSettings, number: int, first: Layers | None, device: str = CPU
    ) -> None:
        """Make a network; nothing is learned yet.

        Raises:
            OptionError: there is no such device.
        """
        torch.set_num_threads(1)
        self.device = check_device(device)
        self.game, self.settings, self.number, self.first = game, settings, number, first
        inputs = AFTERSTATES if settings.afterstates else OBSERVATIONS
        self.kind: dict[str, Any] = {"inputs": inputs, "features": features_for(settings, game), "value": SEAT_SHARES}
        sizes = network_sizes(game, settings.hidden, "", **self.kind)
        torch.manual_seed(settings.seed)
        self.network = PolicyValueNetwork(inputs_high(game, self.kind["features"]), settings.hidden, sizes[-1])
        self.network.to(self.device)
        self.prior: PolicyValueNetwork | None = None  # the network as it was before the first pass
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=settings.rate, fused=True)
        self.epoch = 0
        self.figures: list[dict[str, float]] = []
        self._fast = fast_bfloat16() or device == CUDA
        self._held: torch.Tensor | None = None  # inputs, where they fit into a GPU's memory

    def go(self, rows: Rows, checkpoints: Path, show: Callable[[float, str], None]) -> None:
        """Do all passes that are left; a state is kept after each.

        Args:
            rows: what is learned from; the same ones if a fit goes on.
            checkpoints: directory of the states; the newest sound one is gone on from.
            show: told how far it is, 0..1, and a text.
        """
        self.begin(rows.inputs)
        if self.settings.prior_temperature:
            self.prior = copy.deepcopy(self.network).requires_grad_(False)
        self._restore(checkpoints)
        if self.device == CUDA and rows.inputs.nbytes < HELD_SHARE * torch.cuda.mem_get_info()[0]:
            self._held = torch.from_numpy(rows.inputs).to(self.device)
        while self.epoch < self.settings.epochs:
            self._pass(rows, show)
            self.epoch += 1
            save_generation(checkpoints, self.epoch, self.game, self._arrays(), {"figures": self.figures}, 1)

    def begin(self, inputs: NDArray[np.uint8]) -> None:
        """Measure inputs, uint8 (N, F), and take the first layers, if there are any."""
        self.network.trunk.measure(inputs)
        if self.first is not None:
            take_layers(self.network.trunk, self.network.head, self.first)

    def export(self, path: Path) -> Path:
        """Write the policy."""
        layers = network_layers(self.network.trunk, [self.network.head])
        about = f"expert iteration, round {self.number}"
        return save_policy(path, self.game, layers, about, activation=RELU, **self.kind)

    def _pass(self, rows: Rows, show: Callable[[float, str], None]) -> None:
        settings, count = self.settings, len(rows.actions)
        order = np.random.default_rng([settings.seed, self.number, self.epoch]).permutation(count)
        sums, size = np.zeros(len(FIGURES)), settings.batch_size
        for start in range(0, count, size):
            done = (self.epoch + start / count) / settings.epochs
            update_learning_rate(self.optimizer, settings.rate * (1 - (1 - LAST_RATE) * done))
            batch = np.sort(order[start : start + size])
            sums += len(batch) * np.array(self._update(rows, batch))
            if start // size % 16 == 0:
                show(done, f"{start:,} of {count:,} decisions, pass {self.epoch + 1}")
        self.figures.append(dict(zip(FIGURES, (round(float(part), 5) for part in sums / count), strict=True)))
        show((self.epoch + 1) / settings.epochs, f"policy loss {self.figures[-1]['policy_loss']:.3f}")

    def _update(self, rows: Rows, batch: NDArray[np.int64]) -> tuple[float, ...]:
        """Take a step of gradient; return the figures of these decisions."""
        odds = self._sent(rows.targets.policies[batch])
        weights = self._sent(rows.weights[batch])
        masks = self._sent(rows.masks[batch])
        logits, values = self._outputs(self.network, rows, batch, masks)
        logits = logits / (self.settings.prior_temperature or 1.0)
        logs = torch.log_softmax(logits.masked_fill(~masks, -1e9), dim=1)
        policy_loss = (weights * self._policy_losses(rows, batch, logs, odds)).mean()
        value_loss = share_losses(self.game, values, self._sent(rows.targets.shares[batch])).mean()
        loss = policy_loss + self.settings.value_weight * value_loss
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        best = logs.argmax(dim=1)
        agreement = float((best == odds.argmax(dim=1)).float().mean())
        regret = _regret(rows, batch, best.cpu().numpy())
        return float(policy_loss.detach()), float(value_loss.detach()), agreement, regret

    def _policy_losses(
        self, rows: Rows, batch: NDArray[np.int64], logs: torch.Tensor, odds: torch.Tensor
    ) -> torch.Tensor:
        """Return of each decision what the policy, log odds float32 (B, A), lacks, in nats, float32 (B,).

        Either the cross entropy to the teacher's odds, or how far the policy is from odds exp(win share / temperature),
        times those of the prior if there is one (MPO; Abdolmaleki et al. 2018). The second is linear in the win shares,
        so their errors average out over decisions, and what a mistake costs counts (cost-sensitive imitation; Ross &
        Bagnell 2014).
        """
        masks, temperature = self._sent(rows.masks[batch]), self.settings.value_temperature
        legal = logs.masked_fill(~masks, 0.0)
        if not temperature:
            return -(odds / odds.sum(dim=1, keepdim=True) * legal).sum(dim=1)
        assert rows.targets.values is not None  # rows_of refuses
        wanted = self._sent(rows.targets.values[batch]).float() / temperature
        if self.prior is not None:
            with torch.no_grad():
                wanted += self._outputs(self.prior, rows, batch, masks)[0] / self.settings.prior_temperature
        wanted = torch.log_softmax(wanted.masked_fill(~masks, -1e9), dim=1).masked_fill(~masks, 0.0)
        return (legal.exp() * masks * (legal - wanted)).sum(dim=1)

    def _outputs(
        self, network: PolicyValueNetwork, rows: Rows, batch: NDArray[np.int64], masks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits of the actions, float32 (B, A), and of the shares of seats, those of what was played."""
        if not self.settings.afterstates:
            outputs = self._network_outputs(network, rows, batch)
            return outputs[:, : self.game.num_actions], outputs[:, self.game.num_actions :]
        counts = rows.masks[batch].sum(axis=1)
        starts = np.cumsum(counts) - counts
        which = np.arange(counts.sum()) + np.repeat(rows.first[batch] - starts, counts)
        outputs = self._network_outputs(network, rows, which)
        logits = torch.zeros(masks.shape, device=self.device).masked_scatter(masks, outputs[:, 0])
        before = rows.masks[batch] & (np.arange(masks.shape[1]) < rows.actions[batch][:, None])
        return logits, outputs[self._sent(starts + before.sum(axis=1)), 1:]

    def _network_outputs(self, network: PolicyValueNetwork, rows: Rows, which: NDArray[np.int64]) -> torch.Tensor:
        """Return outputs, float32 (N, ...), of these inputs, int64 (N,)."""
        inputs = self._sent(rows.inputs[which]) if self._held is None else self._held[self._sent(which)]
        with torch.autocast(self.device, torch.bfloat16, enabled=self._fast):
            outputs: torch.Tensor = network(inputs)
        return outputs

    def _sent(self, array: NDArray[Any]) -> torch.Tensor:
        """Return an array as a tensor of the device."""
        return torch.from_numpy(array).to(self.device)

    # ------------------------------------------------------------------------------------------------ states

    def _arrays(self) -> dict[str, NDArray[Any]]:
        arrays = {f"network.{name}": part.cpu().numpy().copy() for name, part in self.network.state_dict().items()}
        for index, memory in self.optimizer.state_dict()["state"].items():
            arrays |= {f"optimizer.{index}.{name}": memory[name].cpu().numpy().copy() for name in ADAM}
        return arrays

    def _restore(self, checkpoints: Path) -> None:
        """Go on from the newest sound state, if there is one."""
        try:
            path, manifest, arrays, _ = newest_generation(checkpoints)
        except CheckpointError:
            return
        parts = {name: torch.from_numpy(arrays[f"network.{name}"].copy()) for name in self.network.state_dict()}
        self.network.load_state_dict(parts)
        memory = {
            index: {name: torch.from_numpy(arrays[f"optimizer.{index}.{name}"].copy()) for name in ADAM}
            for index in range(len(list(self.network.parameters())))
        }
        groups = self.optimizer.state_dict()["param_groups"]
        self.optimizer.load_state_dict({"state": memory, "param_groups": groups})
        self.epoch, self.figures = int(path.name), list(manifest["state"]["figures"])
