"""Expert iteration: a search plays, a network imitates it, the network guides the search, and again."""
