"""Run the rules of several documents one after the other on the same situation and subjects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any, ClassVar

from attrs import field, frozen

from mqclause.documents import DOCUMENTS
from mqclause.executors.compiled import CompiledExecutor
from mqclause.executors.operations import CarriedValues, Executor, ExecutorName, LoweredRuleset, Run
from mqclause.executors.plain import PlainExecutor
from mqclause.model.diagnostics import ArgumentError, MqclauseError, quote_value, suggest_allowed
from mqclause.rulebook.rule import Declaration, RuleError, Ruleset
from mqclause.rulebook.rules import Rules


class NotInstalledError(MqclauseError, ImportError):
    """An executor was asked for whose library is not there; the message is one line."""


@frozen(eq=False)
class Pipeline:
    """The rulesets of the documents up to one, each made ready for an executor, with the ``steps`` of each.

    Safe to share between threads. One of a document of ours pickles as what it is ``made_of``: the text of its rules,
    the names of document and executor.
    """

    rulesets: tuple[Ruleset, ...]
    executors: tuple[Executor, ...]
    made_of: tuple[Rules, str, ExecutorName] = field(repr=False)
    steps: tuple[LoweredRuleset, ...] = field(init=False, repr=False)
    _runs: tuple[tuple[bool, Callable[..., Run]], ...] = field(init=False, repr=False)

    @steps.default
    def _steps(self) -> tuple[LoweredRuleset, ...]:
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
        return self.made_of[0].list_readings(*(ruleset.about for ruleset in self.rulesets))

    @classmethod
    def of(cls, rules: Rules, declaration: Declaration, executor: ExecutorName = "compiled") -> Pipeline:
        """Return the documents that ``declaration`` follows, and itself, made ready once.

        Raises RuleError, and NotInstalledError for chaining where there is no durable_rules. Another executor is a
        ValueError.
        """
        if executor not in [*EXECUTORS]:
            raise ArgumentError(f"executor={quote_value(executor)} is none{suggest_allowed(executor, EXECUTORS)}")
        return _course(rules.about(declaration), declaration, executor)

    def run(
        self, situation: Any, subjects: Sequence[Any], carried: CarriedValues | None = None, traced: bool = False
    ) -> tuple[Run, ...]:
        """Run each document, in their order. ``carried`` is for those that carry anything.

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

    def run_first(self, situation: Any, subjects: Sequence[Any], carried: CarriedValues | None = None) -> Run:
        """Run the first document alone, which tells who remains. Raises ArithmeticError as its rules do."""
        carries, run = self._runs[0]
        return run(situation, subjects, carried if carries else None, {}, False)


class DocumentRules:
    """The rules of one document, loaded and ready; without state, so threads may share them.

    Arguments as for Engine. It pickles as its rules. Raises RuleError.
    """

    document: ClassVar[Declaration]

    def __init__(self, rules: Rules | None = None, executor: ExecutorName = "compiled") -> None:
        self.rules = Rules.given(rules)
        self.executor = executor
        self.course = Pipeline.of(self.rules, self.document, executor)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.rules!r}, {self.executor}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.rules, self.executor)

    @property
    def ruleset(self) -> Ruleset:
        """The rules."""
        return self.course.rulesets[-1]

    @property
    def steps(self) -> LoweredRuleset:
        """The lowered rules of the last document."""
        return self.course.steps[-1]

    @property
    def readings(self) -> Mapping[str, str]:
        """The choice of each reading by which the rules were read."""
        return dict(self.course.readings)


@lru_cache(maxsize=256)
def _course(rules: Rules, declaration: Declaration, executor: ExecutorName) -> Pipeline:
    rulesets = tuple(rules.ruleset(each) for each in declaration.course)
    executors = tuple(_executor(executor, steps) for steps in LoweredRuleset.course(rulesets))
    return Pipeline(rulesets, executors, (rules, declaration.name, executor))


@lru_cache(maxsize=256)
def _executor(name: ExecutorName, steps: LoweredRuleset) -> Executor:
    return EXECUTORS[name](steps)


def _again(rules: Rules, document: str, executor: ExecutorName) -> Pipeline:
    return Pipeline.of(rules, DOCUMENTS[document], executor)


def _chaining(steps: LoweredRuleset) -> Executor:
    if lacking := find_chaining_fault():
        raise NotInstalledError(f"{lacking}, {_NEEDED}", name=DURABLE_RULES)
    from mqclause.executors.chaining import ChainingExecutor  # noqa: PLC0415 - durable_rules is optional

    return ChainingExecutor(steps)


_NEEDED = (
    "which the chaining executor needs (pip install durable-rules, up to Python 3.12); "
    "the executors compiled and plain do without"
)
DURABLE_RULES = "durable_rules_engine"
"""The module of durable_rules, which has to be there for the chaining executor alone."""


def find_chaining_fault() -> str:
    """Say why the chaining executor is not available; blank if it is. durable_rules may be installed and not load."""
    try:
        import_module(DURABLE_RULES)
    except ModuleNotFoundError:
        return "durable_rules is not installed"
    except ImportError as error:
        return f"durable_rules does not load in this Python ({error.msg})"
    return ""


EXECUTORS: Mapping[ExecutorName, Callable[[LoweredRuleset], Executor]] = {
    "compiled": CompiledExecutor,
    "chaining": _chaining,
    "plain": PlainExecutor,
}
"""The executors: compiled in microseconds, plain to be read, chaining by durable_rules."""
