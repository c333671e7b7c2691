"""The games. Each folder holds the same small modules: data, options, state, actions, rules, observation, declaration."""
