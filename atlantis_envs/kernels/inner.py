"""How kernels that only other kernels call are compiled and kept: as LLVM's intermediate code, never as machine code.

Whoever calls such a kernel takes its intermediate code in and makes machine code of the whole, so machine code of its
own would be made, written and loaded for nobody. Optimising it in full would be done again with each caller as well.
It leans on numba's inside; beside ``kernel`` it is the only module that knows numba.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult

KIND = "inner"  # how an entry of the cache says that it holds such code


class _NowhereToSet:
    """A code generator for which there are no environments to set: their variables are nowhere in memory yet."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing; ``adopt_environments`` does it for the caller that takes the code in."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)


def adopt_environments(result: Any) -> None:
    """Set the environments of all kernels whose code an entry has taken in."""
    for environment in result._find_referenced_environments():
        result.library.codegen.set_env(environment.env_name, environment)


class InnerLibrary(JITCodeLibrary):
    """Code that is linked into that of callers and never run by itself."""

    @property
    def codegen(self) -> Any:
        """Return the code generator, as far as an inner kernel needs it."""
        return _NowhereToSet(self._codegen)

    def _optimize_final_module(self) -> None:
        """Optimise only as much as makes it small; entries are optimised in full, with all that they have taken in."""
        passes, builder = self._codegen._module_pass_manager(
            loop_vectorize=False, slp_vectorize=False, opt=self._codegen._opt_level, cost="cheap"
        )
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        """Do as numba does, but leave it out of the engine, which would make machine code of it."""
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def enable_object_caching(self) -> None:
        """Do nothing: there is no machine code."""

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """Return the intermediate code; numba asks by this name."""
        return self.name, KIND, self._get_module_for_linking().as_bitcode()

    def get_pointer_to_function(self, name: str) -> int:
        """Return no wrapper: Python calls no inner kernel."""
        return 0


class InnerCompiler(Compiler):
    """numba's compiler, with the place to put its work."""

    def compile_extra(self, func: Any) -> Any:
        """Compile into an InnerLibrary."""
        self.state.library = InnerLibrary(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


def rebuilt(target_context: Any, payload: tuple[Any, ...]) -> Any:
    """Return what numba makes of a cached entry, for one of an InnerLibrary."""
    (name, _, code), fndesc, environment, signature, objectmode, lifted, annotation, reload_init, referenced = payload
    codegen = target_context.codegen()
    library = InnerLibrary(codegen, name)
    library._final_module = binding.parse_bitcode(code)
    library._shared_module = library._final_module
    library._finalize_final_module()
    return CompileResult(
        target_context=target_context,
        typing_context=target_context.typing_context,
        library=library,
        environment=environment,
        entry_point=target_context.get_executable(library, fndesc, environment),
        fndesc=fndesc,
        type_annotation=annotation,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        typing_error=None,
        call_helper=None,
        metadata=None,
        reload_init=reload_init,
        referenced_envs=referenced,
    )
