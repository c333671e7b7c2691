"""``python -m atlantis_envs.warm``: compile the kernels of every game now, so that later processes only load them."""

from __future__ import annotations

from atlantis_envs import game, game_names
from atlantis_envs.engine.cache_files import cache_directory
from atlantis_envs.engine.single import Single


def main() -> None:
    """Compile, or load, what batches, positions and environments need."""
    for name in game_names():
        built = game(name)
        position = built.initial_position()
        while position.node != "over":
            if position.node == "chance":
                position.apply(position.sample_chance(0))
            else:
                position.resample(position.seat or 0, 0).observation(0)
                position.apply(position.legal_actions()[0])
        position.scores(), position.returns(), position.check()
        built.batch_from_positions([built.initial_position()]).noise(0)
        single = Single(built)
        single.start(0, 0)
        single.step(int(single.mask.argmax()))
        print(f"{built.definition.title}: compiled, in {cache_directory()}")


if __name__ == "__main__":
    main()
