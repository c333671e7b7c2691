"""The former name of ``atlantis_rising_v2``: today's environment, and a DeprecationWarning for each function."""

from atlantis_envs.errors import former_module

__getattr__ = former_module(__name__, "atlantis_envs.atlantis_rising_v2", since="1.0", until="2.0")
