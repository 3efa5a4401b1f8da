"""The compiled executor: a ruleset as one Python function, made once when the rules are loaded.

The function takes the situation ``s``, the destinations ``D``, the counters ``C`` (or None: the destinations' own)
and the facts ``F`` that an earlier ruleset derived. In its source ``R`` are the destinations that remain, ``A`` those
set aside, ``open_`` is true until a choice is made, ``T`` is the trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import floor
from typing import Any

from attrs import frozen

from mqclause.executors.run import Run, Trace
from mqclause.language.python import Names, python_source
from mqclause.language.vocabulary import BLANKS
from mqclause.model.facts.destination import CounterKey, Destination
from mqclause.model.facts.sequence import START, Counter
from mqclause.model.facts.situation import Situation
from mqclause.rulebook.rule import (
    Choose,
    Conclude,
    Derive,
    Eliminate,
    FailWith,
    Holds,
    Keep,
    Rule,
    Ruleset,
    Selecting,
    SetAside,
    TakeBack,
)

Counters = Mapping[CounterKey, Counter]


@frozen
class Compiled:
    """A ruleset, ready to run: quick (no trace) or traced. Safe to share between threads."""

    ruleset: Ruleset
    _functions: dict[tuple[bool, bool], Callable[..., Any]]

    @classmethod
    def of(cls, ruleset: Ruleset) -> Compiled:
        """Compiles ``ruleset`` in all its forms: with and without trace, with and without counters."""
        forms = [(traced, counters) for traced in (False, True) for counters in (False, True)]
        return cls(ruleset, {form: _function(ruleset, *form) for form in forms})

    def run(
        self,
        put: Situation,
        among: Sequence[Destination],
        counters: Counters | None = None,
        earlier: Mapping[str, Any] = {},
        traced: bool = False,
    ) -> Run:
        """What the rules leave of ``among``; ``earlier`` are facts that another ruleset derived."""
        trace: Trace | None = [None] * len(self.ruleset.rules) if traced else None
        function = self._functions[traced, counters is not None]
        remaining, failure, chosen, every, facts = function(put, among, counters, earlier, trace)
        return Run(remaining, failure, chosen, every, facts, trace)


def _function(ruleset: Ruleset, traced: bool, counters: bool) -> Callable[..., Any]:
    source = "\n".join(_Generator(ruleset, traced, counters).lines())
    scope: dict[str, Any] = {"START": START, "floor": floor, "__builtins__": BUILTINS}
    exec(compile(source, f"<{ruleset.name}>", "exec"), scope)  # noqa: S102 - source of checked expressions only
    function: Callable[..., Any] = scope["decide"]
    return function


BUILTINS = {"len": len, "max": max, "min": min, "set": set, "sorted": sorted, "zip": zip}


class _Generator:
    """Writes the function of one ruleset, rule by rule."""

    def __init__(self, ruleset: Ruleset, traced: bool, counters: bool) -> None:
        self.ruleset = ruleset
        self.traced = traced
        every = [name for rule in ruleset.rules for name in _derived_names(rule, "every")]
        self.names = Names(ruleset.vocabulary, counters=counters, overridden=frozenset(every))
        self.source = partial(python_source, names=self.names)

    def lines(self) -> Iterator[str]:
        rules = self.ruleset.rules
        yield "def decide(s, D, C, F, T):"
        yield "    R = D; A = []; open_ = True; failure = None; chosen = {}"
        for name, word in self.ruleset.vocabulary.words.items():
            if word.is_derived:
                yield f"    v_{name} = F.get({name!r}, {BLANKS[word.type.kind]!r})"
        for name in self.names.overridden:
            yield f"    e_{name} = None"
        for index, rule in enumerate(rules):
            if isinstance(rule.action, Holds):
                yield f"    h_{index} = True"
        for index, rule in enumerate(rules):
            yield f"    # {rule.id}"
            yield from ("    " + line for line in self.rule(index, rule))
        every = ", ".join(f"{name!r}: e_{name}" for name in sorted(self.names.overridden))
        derived = dict.fromkeys(name for rule in rules for name in _derived_names(rule, "situation"))
        facts = ", ".join(f"{name!r}: v_{name}" for name in derived)
        yield f"    return R, failure, chosen, {{{every}}}, {{{facts}}}"

    def rule(self, index: int, rule: Rule) -> Iterator[str]:
        guards = self.guards(rule)
        body = [*_WRITERS[type(rule.action)](self, index, rule.action)]
        if guards:
            yield f"if {' and '.join(guards)}:"
            yield from ("    " + line for line in body)
        else:
            yield from body

    def guards(self, rule: Rule) -> list[str]:
        guards = []
        action = rule.action
        if isinstance(action, Selecting):
            if any(isinstance(earlier.action, Choose) for earlier in self.before(rule)):
                guards.append("open_")
            guards.append("A" if isinstance(action, TakeBack) else "R")
        if isinstance(action, FailWith):
            guards.append("failure is None")
        if isinstance(action, Derive) and action.of == "chosen":
            guards.append("R")
        if rule.when is not None:
            guards.append(self.source(rule.when))
        return guards

    def before(self, rule: Rule) -> Sequence[Rule]:
        return self.ruleset.rules[: self.ruleset.rules.index(rule)]

    def trace(self, index: int, fallen: str = "()", taken: str = "()", derived: str = "None") -> Iterator[str]:
        if self.traced:
            yield f"T[{index}] = ({fallen}, {taken}, len(R), {derived})"

    def keep_where(self, index: int, kept: str, aside: bool = False) -> Iterator[str]:
        """Keeps the destinations for which the source ``kept`` holds."""
        if self.traced or aside:
            yield f"X = [d for d in R if not {kept}]"
        yield f"R = [d for d in R if {kept}]"
        if aside:
            yield "A = A + X"
        yield from self.trace(index, "X")

    def eliminate(self, index: int, action: Eliminate) -> Iterator[str]:
        return self.keep_where(index, f"(not {self.source(action.where)})")

    def set_aside(self, index: int, action: SetAside) -> Iterator[str]:
        return self.keep_where(index, f"(not {self.source(action.where)})", aside=True)

    def take_back(self, index: int, action: TakeBack) -> Iterator[str]:
        where = self.source(action.where)
        yield f"X = [d for d in A if {where}]"
        yield f"A = [d for d in A if not {where}]"
        yield "if X:"
        yield "    K = set(R) | set(X)"
        yield "    R = [d for d in D if d in K]"
        yield from self.trace(index, taken="X")

    def keep(self, index: int, action: Keep) -> Iterator[str]:
        by = self.source(action.by)
        among = "True" if action.among is None else self.source(action.among)
        if action.at_most is not None:
            yield from self.keep_some(index, action, by, among)
            return
        better = "max" if action.best == "highest" else "min"
        if action.per is None:
            looked_at = "" if action.among is None else f" if {among}"
            yield f"V = [{by} for d in R{looked_at}]"
            yield f"B = {better}(V) if V else None"
            yield from self.keep_if("V.count(B) < len(V)", index, _unless(among, f"{by} == B"))
            return
        per = self.names.of(action.per)
        yield "B = {}"
        yield "for d in R:"
        yield f"    if {among}:"
        yield f"        B[{per}] = {better}({by}, B.get({per}, {by}))"
        yield from self.keep_where(index, _unless(among, f"{by} == B[{per}]"))

    def keep_if(self, condition: str, index: int, kept: str, *before: str) -> Iterator[str]:
        """Keeps what the source ``kept`` says if anybody falls at all, which ``condition`` tells at once."""
        yield f"if {condition}:"
        yield from ("    " + line for line in (*before, *self.keep_where(index, kept)))
        if self.traced:
            yield "else:"
            yield from ("    " + line for line in self.trace(index))

    def keep_some(self, index: int, action: Keep, by: str, among: str) -> Iterator[str]:
        assert action.at_most is not None  # noqa: S101 - told to the type checker
        limit = self.source(action.at_most)
        reverse = action.best == "highest"
        listed = "R" if action.among is None else f"[d for d in R if {among}]"
        yield f"K = {listed}"
        ordered = f"K = sorted(K, key=lambda d: {by}, reverse={reverse})"
        if action.ties == "first-listed":
            kept = _unless(among, "d in K")
            yield from self.keep_if(f"len(K) > {limit}", index, kept, ordered, f"K = set(K[:{limit}])")
            return
        kept = _unless(among, f"{by} {'>=' if reverse else '<='} B")
        last_kept = (f"d = K[{limit} - 1]", f"B = {by}")
        yield from self.keep_if(f"len(K) > {limit}", index, kept, ordered, *last_kept)

    def choose(self, index: int, action: Choose) -> Iterator[str]:
        if action.where is not None:
            where = self.source(action.where)
            yield f"if [1 for d in R if {where}]:"
            yield from ("    " + line for line in self.keep_where(index, where))
            yield "    open_ = False"
            return
        order = ", ".join(self.source(item) for item in action.by)
        yield f"B = min([({order},) for d in R])"
        yield from self.keep_where(index, f"({order},) == B")
        yield "open_ = False"

    def derive(self, index: int, action: Derive) -> Iterator[str]:
        if action.of == "chosen":
            yield "d = R[0]"
        target = {"situation": "v_{}", "every": "e_{}", "chosen": "chosen[{!r}]"}[action.of]
        for name, tree in action.values:
            yield f"{target.format(name)} = {self.source(tree)}"
        derived = ", ".join(f"{name!r}: {target.format(name)}" for name, _ in action.values)
        yield from self.trace(index, derived=f"{{{derived}}}")

    def holds(self, index: int, action: Holds) -> Iterator[str]:
        yield f"h_{index} = {self.source(action.when)}"
        yield from self.trace(index, derived=f"{{'holds': h_{index}}}")

    def conclude(self, index: int, action: Conclude) -> Iterator[str]:
        places = {rule.id: place for place, rule in enumerate(self.ruleset.rules)}
        needed = " and ".join(f"h_{places[need]}" for need in action.needs)
        yield f"c = {needed}"
        yield f"v_{action.fact} = v_{action.fact} or c"
        yield from self.trace(index, derived=f"{{{action.fact!r}: c}}")

    def fail_with(self, index: int, action: FailWith) -> Iterator[str]:
        yield f"failure = ({index}, {action.reason!r}, {self.source(action.call)})"
        yield from self.trace(index)


_WRITERS: dict[type, Callable[[_Generator, int, Any], Iterator[str]]] = {
    Eliminate: _Generator.eliminate,
    SetAside: _Generator.set_aside,
    TakeBack: _Generator.take_back,
    Keep: _Generator.keep,
    Choose: _Generator.choose,
    Derive: _Generator.derive,
    FailWith: _Generator.fail_with,
    Holds: _Generator.holds,
    Conclude: _Generator.conclude,
}


def _unless(among: str, kept: str) -> str:
    """Source that holds for what is not looked at, and for what is kept."""
    return f"({kept})" if among == "True" else f"(not {among} or {kept})"


def _derived_names(rule: Rule, of: str) -> Iterator[str]:
    if isinstance(rule.action, Derive) and rule.action.of == of:
        for name, _ in rule.action.values:
            yield name
    if isinstance(rule.action, Conclude) and of == "situation":
        yield rule.action.fact
