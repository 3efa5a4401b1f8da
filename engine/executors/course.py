"""A course: documents that follow one another, run on the same situation and subjects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any

from attrs import field, frozen

from mqclause.documents import DOCUMENTS
from mqclause.executors.compiled import Compiled
from mqclause.executors.plain import Plain
from mqclause.executors.run import CarriedValues, Executor, ExecutorName, Run
from mqclause.executors.steps import Steps
from mqclause.model.diagnostic import instead, quoted
from mqclause.rulebook.declaration import Declaration
from mqclause.rulebook.errors import RuleError
from mqclause.rulebook.rule import Ruleset
from mqclause.rulebook.rules import Rules


class NotInstalledError(ImportError):
    """An executor was asked for whose library is not there; the message is one line."""


@frozen(eq=False)
class Course:
    """The rulesets of the documents up to one, each made ready for an executor, with the ``steps`` of each.

    Safe to share between threads. One of a document of ours pickles as what it is ``made_of``: the text of its rules,
    the names of document and executor.
    """

    rulesets: tuple[Ruleset, ...]
    executors: tuple[Executor, ...]
    made_of: tuple[Rules, str, ExecutorName] = field(repr=False)
    steps: tuple[Steps, ...] = field(init=False, repr=False)
    _runs: tuple[tuple[bool, Callable[..., Run]], ...] = field(init=False, repr=False)

    @steps.default
    def _steps(self) -> tuple[Steps, ...]:
        return tuple(executor.steps for executor in self.executors)

    @_runs.default
    def _prepared(self) -> tuple[tuple[bool, Callable[..., Run]], ...]:
        """For each document whether it carries anything, and what runs it."""
        pairs = zip(self.rulesets, self.executors, strict=True)
        return tuple((ruleset.about.carried is not None, executor.run) for ruleset, executor in pairs)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, self.made_of

    @cached_property
    def readings(self) -> Mapping[str, str]:
        """The choices, by reading, that its rulesets were read by."""
        return dict(pair for ruleset in self.rulesets for pair in ruleset.readings)

    @classmethod
    def of(cls, rules: Rules, declaration: Declaration, executor: ExecutorName = "compiled") -> Course:
        """The documents that ``declaration`` follows, and itself, made ready once.

        Raises RuleError, and NotInstalledError for chaining where there is no durable_rules. Another executor is a
        ValueError.
        """
        if executor not in [*EXECUTORS]:
            raise ValueError(f"executor={quoted(executor)} is none{instead(executor, EXECUTORS)}")
        return _course(rules.about(declaration), declaration, executor)

    def run(
        self, situation: Any, subjects: Sequence[Any], carried: CarriedValues | None = None, traced: bool = False
    ) -> tuple[Run, ...]:
        """A run of each document, in their order. ``carried`` is for those that carry anything.

        Raises RuleError where rules reckon with numbers until they come to none.
        """
        runs: tuple[Run, ...] = ()
        earlier: Mapping[str, Any] = {}
        try:
            for carries, run in self._runs:
                found = run(situation, subjects, carried if carries else None, earlier, traced)
                runs += (found,)
                earlier = found.hands_on
        except ArithmeticError as error:
            document = self.rulesets[len(runs)].name
            raise RuleError(f"{document}/", "", f"a rule reckons until there is no number: {error}") from None
        return runs


@lru_cache(maxsize=256)
def _course(rules: Rules, declaration: Declaration, executor: ExecutorName) -> Course:
    rulesets = tuple(rules.ruleset(each) for each in declaration.course)
    make = EXECUTORS[executor]
    made_of = (rules, declaration.name, executor)
    return Course(rulesets, tuple(make(steps) for steps in Steps.course(rulesets)), made_of)


def _again(rules: Rules, document: str, executor: ExecutorName) -> Course:
    return Course.of(rules, DOCUMENTS[document], executor)


def _chaining(steps: Steps) -> Executor:
    if lacking := without_chaining():
        raise NotInstalledError(f"{lacking}, {_NEEDED}", name=DURABLE_RULES)
    from mqclause.executors.chaining import Chaining

    return Chaining(steps)


_NEEDED = (
    "which the chaining executor needs (pip install durable-rules, up to Python 3.12); "
    "the executors compiled and plain do without"
)
DURABLE_RULES = "durable_rules_engine"
"""The module of durable_rules, which has to be there for the chaining executor alone."""


def without_chaining() -> str:
    """Why there is no chaining executor here; blank if there is. durable_rules may be built and not load."""
    try:
        import_module(DURABLE_RULES)
    except ModuleNotFoundError:
        return "durable_rules is not installed"
    except ImportError as error:
        return f"durable_rules does not load in this Python ({error.msg})"
    return ""


EXECUTORS: Mapping[ExecutorName, Callable[[Steps], Executor]] = {
    "compiled": Compiled,
    "chaining": _chaining,
    "plain": Plain,
}
"""The executors: compiled in microseconds, plain to be read, chaining by durable_rules."""
