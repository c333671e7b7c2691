"""Vocabularies as the compiler sees them; to be imported before a kernel that reads one is compiled."""

from __future__ import annotations

from typing import Any

import numba
from numba.core.imputils import lower_constant
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr_generic, models, register_model, typeof_impl

from atlantis_envs.kernels.vocabulary import Vocabulary, VocabularyType


class _VocabularyType(numba.types.Opaque):
    """A vocabulary as numba sees it: its members are literal integers, so that they mix with every other integer."""

    def __init__(self, vocabulary: type[Vocabulary]) -> None:
        self.numbers = vocabulary.numbers()
        super().__init__(f"{vocabulary.__module__}.{vocabulary.__qualname__} {self.numbers}")
        numba.types.Literal.ctor_map[vocabulary] = _literal  # where numba finds a constant itself: TABLE[Node.TAKE]


def _literal(member: int) -> Any:
    return numba.types.literal(int(member))


class _Members(AttributeTemplate):
    key = _VocabularyType

    def generic_resolve(self, vocabulary: _VocabularyType, name: str) -> Any:
        return _literal(vocabulary.numbers[name]) if name in vocabulary.numbers else None


def _lower_member(context: Any, builder: Any, vocabulary: _VocabularyType, _: Any, name: str) -> Any:
    number = vocabulary.numbers[name]
    return context.get_constant_generic(builder, _literal(number), number)


typeof_impl.register(VocabularyType)(lambda vocabulary, _: _VocabularyType(vocabulary))
typeof_impl.register(Vocabulary)(lambda member, _: numba.typeof(int(member)))
register_model(_VocabularyType)(models.OpaqueModel)
infer_getattr(_Members)
lower_getattr_generic(_VocabularyType)(_lower_member)
lower_constant(_VocabularyType)(lambda context, *_: context.get_dummy_value())
