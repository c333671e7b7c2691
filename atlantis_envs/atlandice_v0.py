"""The former name of ``atlandice_v1``: today's environment, and a DeprecationWarning for each function."""

from atlantis_envs.errors import former_module

__getattr__ = former_module(__name__, "atlantis_envs.atlandice_v1", since="1.0", until="2.0")
