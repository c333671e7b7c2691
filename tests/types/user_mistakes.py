"""Mistakes that a type checker has to find: each line with `wrong` at its end, and no other."""

from __future__ import annotations

from atlantis_envs import atlandice_v1, atlantis_rising_v2, atlantis_v1

atlandice_v1.env(plyers=3)  # wrong
atlandice_v1.raw_env(players="3")  # wrong
atlandice_v1.parallel_env(chain_kap=3)  # wrong
atlandice_v1.game(orphan_dice="shop")  # wrong
atlandice_v1.env(players=3, orphan_dice="stay", render_mode="ansi")
atlantis_v1.env(overpay="none")  # wrong
atlantis_v1.env(illegal="ignore")  # wrong
atlantis_v1.game(plyers=3)  # wrong
atlantis_v1.game(players=3, render_mode="ansi")  # wrong
atlantis_rising_v2.env(level="hard")  # wrong
atlantis_rising_v2.game(players=2, casting_vote=1)  # wrong
atlantis_rising_v2.game(players=2, casting_vote=True)
