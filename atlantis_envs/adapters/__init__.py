"""One foreign library, one file: the games as PettingZoo, Gymnasium and stable-baselines3 expect them."""
