"""Run by the interpreter of another environment, which has pgx or EnvPool and nothing of ours: takes turns when asked.

`python -I benchmarks/foreign.py pgx backgammon 20` says "ready" once all is compiled and warm, then answers every line,
a number of seconds, with nanoseconds of processor time per decision. So only the standard library is imported up here.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from functools import partial
from typing import Any

LANES = 1024
Work = Callable[[], float]


def nanoseconds(work: Work, seconds: float) -> float:
    """Return processor time of the whole process, all its threads, per decision, over at least so many seconds."""
    started, done = time.process_time(), 0.0
    while time.process_time() - started < seconds:
        done += work()
    return 1e9 * (time.process_time() - started) / done


def pgx_work(game: str, steps: str) -> Work:
    """Return work of a pgx game on the CPU: random legal actions, new games for those that end, many steps in a call.

    Observation and legal actions are fields of the state, so each step makes both.
    """
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"  # read when jax is imported: one thread
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(game)
    step = jax.vmap(auto_reset(env.step, env.init))

    def decide(carried: Any, _: None) -> tuple[Any, None]:
        state, key = carried
        key, words, luck = jax.random.split(key, 3)
        actions = legal_action(jax.random.uniform(words, (LANES, 1)), state.legal_action_mask)
        return (step(state, actions, jax.random.split(luck, LANES)), key), None

    calls = jax.jit(lambda carried: jax.lax.scan(decide, carried, None, length=int(steps))[0])
    carried = (jax.vmap(env.init)(jax.random.split(jax.random.key(0), LANES)), jax.random.key(1))

    def work() -> float:
        nonlocal carried
        carried = jax.block_until_ready(calls(carried))
        return int(steps) * LANES

    return work


def legal_action(words: Any, mask: Any) -> Any:
    """Draw a uniform legal action a row, by one random number: cheaper than the one per action that pgx draws."""
    import jax.numpy as jnp

    legal = jnp.cumsum(mask, axis=1)
    chosen = jnp.floor(words * legal[:, -1:]).astype(jnp.int32)
    return (legal <= chosen).sum(axis=1, dtype=jnp.int32)


def envpool_work(game: str) -> Work:
    """Return work of an EnvPool environment with discrete actions: one thread, all environments in every call.

    Where it tells the legal actions, one of them is drawn; else any action.
    """
    import envpool
    import numpy as np

    env = envpool.make(game, env_type="gymnasium", num_envs=LANES, num_threads=1, seed=1)
    info = env.reset()[-1]
    generator, choices = np.random.default_rng(0), int(env.action_space.n)

    def work() -> float:
        nonlocal info
        if "legal_action_mask" in info:
            legal = np.cumsum(info["legal_action_mask"], axis=1, dtype=np.int32)
            drawn = np.floor(generator.random(LANES) * legal[:, -1]).astype(np.int32)
            actions = (legal > drawn[:, None]).argmax(axis=1).astype(np.int32)
        else:
            actions = generator.integers(0, choices, LANES, dtype=np.int32)
        info = env.step(actions)[-1]
        # The step after the end of an episode starts the next one and ignores the action: no decision.
        return int(np.count_nonzero(info["elapsed_step"]))

    return work


LIBRARIES: dict[str, Callable[..., Work]] = {"pgx": pgx_work, "envpool": envpool_work}


def main(lines: Iterable[str], library: str, *arguments: str) -> int:
    """Get ready, then answer; where that fails, say why in one line."""
    say = partial(print, file=sys.stdout, flush=True)
    with redirect_stdout(sys.stderr):  # whatever a library prints is no answer
        try:
            work = LIBRARIES[library](*arguments)
            for _ in range(3):
                work()
        except Exception as problem:
            say(f"{type(problem).__name__}: {problem}".splitlines()[0])
            return 1
        say("ready")
        for line in lines:
            say(nanoseconds(work, float(line)))
    return 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main(sys.stdin, *sys.argv[1:]))
