"""Compile the rules of a document to one Python function, when it is first called.

The function takes the situation ``s``, the subjects ``D``, what is carried ``C`` (or None: the subjects' own) and the
facts ``F`` that the document before handed on, and gives a Run. In its source ``R`` are the subjects that remain,
``A`` those set aside, ``open_`` is true until a choice is made, ``ended`` after one by condition; ``T`` is the trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import CodeType
from typing import Any

from attrs import evolve, field, frozen

from mqclause.executors.operations import (
    FAILING_CALL,
    FAILING_RULE,
    CarriedValues,
    Filter,
    Key,
    Let,
    LoweredRuleset,
    Operation,
    Rank,
    Run,
    build_failure,
)
from mqclause.language import nodes
from mqclause.language.codegen import SourceNames, write_attribute, write_python
from mqclause.language.parser import find_words, has_count
from mqclause.language.vocabulary import Vocabulary, compute_floor
from mqclause.rulebook.rule import CarriedState, Expression

BUILTINS = {each.__name__: each for each in (float, id, len, map, max, min, set, sorted, zip)}


@frozen
class _Names(SourceNames):
    """Words as ``decide`` has them: ``every`` are the facts of every subject, ``kept`` is what is passed in."""

    every: tuple[str, ...] = field(kw_only=True)
    kept: CarriedState | None = field(kw_only=True)

    def carried(self, variable: str, name: str) -> str:
        """The source of what is carried: as derived for every subject, as passed in, or the subject's own."""
        source = write_attribute(variable, name)
        if self.kept is not None:
            source = f"C.get({write_attribute(variable, self.kept.key)}, START)[{self.kept.names.index(name)}]"
        derived = self.variable("e", name)
        return f"({source} if {derived} is None else {derived})" if name in self.every else source


class _Writer:
    """Writes the function of one ruleset, step by step."""

    def __init__(self, steps: LoweredRuleset, traced: bool, carried: bool) -> None:
        self.steps, self.traced = steps, traced
        self.every = steps.derived("every")
        kept = steps.ruleset.about.carried if carried else None
        self.names = _Names(steps.vocabulary, every=self.every, kept=kept)
        self.used = _used(steps)
        self.source = partial(write_python, names=self.names)

    def lines(self) -> Iterator[str]:
        steps = self.steps
        yield "def decide(s, D, C, F):"
        yield "    R = D; A = []; open_ = True; ended = False; chosen = {}"
        if self.traced:
            yield f"    T = [None] * {len(steps.steps)}"
        for name, word in steps.vocabulary.words.items():
            if word.is_derived and name in self.used:
                handed_on = name in steps.ruleset.sees
                blank = self.names.constant(word.blank)
                known = f"F.get({self.names.constant(name)}, {blank})" if handed_on else blank
                yield f"    {self.names.fact(name)} = {known}"
        for name in self.every:
            yield f"    {self.names.variable('e', name)} = None"
        for index, step in enumerate(steps.steps):
            yield f"    # step {index}"
            yield from ("    " + line for line in self.step(index, step))
        trace = "T" if self.traced else "None"
        yield f"    return run((R, {self.failing()}, chosen, {', '.join(self.results())}, {trace}, None))"

    def failing(self) -> str:
        rule, call = self.names.fact(FAILING_RULE), self.names.fact(FAILING_CALL)
        return f"failure({rule}, {call}) if {rule} else None" if FAILING_RULE in self.steps.vocabulary.words else "None"

    def results(self) -> Iterator[str]:
        """The facts for every subject, about the situation, and for the document after this one."""
        every = {name: self.names.variable("e", name) for name in sorted(self.every)}
        facts = {name: self.names.fact(name) for name in self.steps.derived("situation")}
        hands_on = {name: self.source(tree) for name, tree in self.steps.hands_on.items()}
        yield from map(self.dict, (every, facts, hands_on))

    def dict(self, sources: Mapping[str, str]) -> str:
        """The source of a dict of values by name."""
        return f"{{{', '.join(f'{self.names.constant(name)}: {source}' for name, source in sources.items())}}}"

    def step(self, index: int, step: Operation) -> Iterator[str]:
        guards = [*self.guards(step)]
        body = [*_WRITERS[type(step)](self, index, step)]
        if guards:
            yield f"if {' and '.join(guards)}:"
            yield from ("    " + line for line in body)
        else:
            yield from body

    def guards(self, step: Operation) -> Iterator[str]:
        earlier = self.steps.steps[: self.steps.steps.index(step)]
        if isinstance(step, Let):
            if step.of != "situation" and any(_ends(each) for each in earlier):
                yield "not ended"
        elif any(_chooses(each) for each in earlier):
            yield "open_"
        if isinstance(step, Rank) and step.keep != "all" and not (step.chooses or self.traced):
            # Of so few nobody falls.
            yield f"len(R) > {1 if step.at_most is None else self.source(step.at_most)}"
        elif not isinstance(step, Let):
            yield "A" if isinstance(step, Filter) and step.fate == "back" else "R"
        elif step.of == "chosen":
            yield "R"
        if step.when is not None:
            yield self.source(step.when)

    def trace(self, index: int, fallen: str = "()", taken: str = "()", derived: str = "None") -> Iterator[str]:
        if self.traced:
            remaining = "0" if self.steps.ruleset.about.subject is None else "len(R)"
            yield f"T[{index}] = ({fallen}, {taken}, {remaining}, {derived})"

    def keep_where(self, index: int, kept: str) -> Iterator[str]:
        """Keeps the subjects for which the source ``kept`` holds."""
        if self.traced:
            yield f"X = [d for d in R if not {kept}]"
            yield f"if X: R = [d for d in R if {kept}]"
        else:
            yield f"R = [d for d in R if {kept}]"
        yield from self.trace(index, "X")

    def keep_if(self, condition: str, index: int, kept: str, *before: str) -> Iterator[str]:
        """Keeps what the source ``kept`` says if anybody may fall at all, which ``condition`` tells at once."""
        yield f"if {condition}:"
        yield from ("    " + line for line in (*before, *self.keep_where(index, kept)))
        if self.traced:
            yield "else:"
            yield from ("    " + line for line in self.trace(index))

    def filter(self, index: int, step: Filter) -> Iterator[str]:
        where = self.source(step.where)
        if step.fate == "chosen":
            yield f"if [1 for d in R if {where}]:"
            yield from ("    " + line for line in self.keep_where(index, where))
            yield from ["    R = R[::-1]"] if step.last_first else []
            yield "    open_ = False; ended = True"
        elif step.fate == "back":
            yield f"X = [d for d in A if {where}]"
            yield f"A = [d for d in A if not {where}]"
            yield "if X:"
            yield "    K = {*map(id, R), *map(id, X)}"
            yield "    R = [d for d in D if id(d) in K]"
            yield from self.trace(index, taken="X")
        elif step.fate == "aside":
            yield f"X = [d for d in R if {where}]"
            yield "if X:"
            yield f"    R = [d for d in R if not {where}]"
            yield "    A = A + X"
            yield from self.trace(index, "X")
        else:
            yield from self.keep_where(index, f"(not {where})")

    def rank(self, index: int, step: Rank) -> Iterator[str]:
        if step.keep == "all":
            yield from self.order(index, step)
            return
        among = "True" if step.among is None else self.source(step.among)
        if step.keep == "at_most":
            yield from self.keep_some(index, step, among)
        elif step.per is not None:
            yield from self.keep_per(index, step, among)
        else:
            yield from self.keep_best(index, step, among)
        if step.last_first:
            yield "R = R[::-1]"
        if step.chooses:
            yield "open_ = False"

    def order(self, index: int, step: Rank) -> Iterator[str]:
        for key in reversed(step.keys):
            yield f"D = sorted(D, key=lambda d: {self.source(key.by)}, reverse={key.descending})"
        yield "K = {*map(id, R)}"
        yield "R = [d for d in D if id(d) in K]"
        yield from self.trace(index)

    def keep_best(self, index: int, step: Rank, among: str) -> Iterator[str]:
        # The best by the first key, of those the best by the next: but all at once where each who falls is told of, or
        # a key counts who remains.
        at_once = self.traced or any(has_count(key.by, self.steps.vocabulary) for key in step.keys)
        for keys in [step.keys] if at_once else [(key,) for key in step.keys]:
            by, better = self.compared(keys)
            looked_at = "" if step.among is None else f" if {among}"
            yield f"V = {{{by} for d in R{looked_at}}}"
            yield from self.keep_if("len(V) > 1", index, _unless(among, f"{by} == B"), f"B = {better}(V)")

    def keep_per(self, index: int, step: Rank, among: str) -> Iterator[str]:
        by, better = self.compared(step.keys)
        per = self.source(nodes.Column(step.per or ""))
        yield f"K = [{per} for d in R{'' if step.among is None else f' if {among}'}]"
        yield "B = {}"
        yield "for d in R if len({*K}) < len(K) else ():"
        yield f"    if {among}:"
        yield f"        k = {per}; v = {by}"
        yield f"        if k not in B or v {'>' if better == 'max' else '<'} B[k]: B[k] = v"
        yield from self.keep_if("B", index, _unless(among, f"{by} == B[{per}]"))

    def keep_some(self, index: int, step: Rank, among: str) -> Iterator[str]:
        assert step.at_most is not None  # noqa: S101 - told to the type checker
        limit, (by, better) = self.source(step.at_most), self.compared(step.keys)
        down = better == "max"
        if step.counts:
            yield from self.keep_counted(index, step, among)
            return
        yield from self.looked_at(step, among, limit)
        ordered = f"K = sorted(K, key=lambda d: {by}, reverse={down})"
        if step.ties == "first":
            kept = _unless(among, "id(d) in K")
            yield from self.keep_if(f"len(K) > {limit}", index, kept, ordered, f"K = {{*map(id, K[:max({limit}, 0)])}}")
            return
        kept = _unless(among, f"{by} in B")
        best = f"B = [{by} for d in K[:max({limit}, 0)]]"
        yield from self.keep_if(f"len(K) > {limit}", index, kept, ordered, best)

    def keep_counted(self, index: int, step: Rank, among: str) -> Iterator[str]:
        """Keeps so many kinds of subjects, each as good as the best of its kind: G has the kinds, the best first."""
        assert step.at_most is not None  # noqa: S101 - told to the type checker
        limit, (by, better) = self.source(step.at_most), self.compared(step.keys)
        kind = f"({', '.join(self.source(nodes.Column(name)) for name in step.counts)},)"
        yield from self.looked_at(step, among, limit)
        yield "G = {}"
        yield f"if len(K) > {limit}:"
        yield f"    for d in sorted(K, key=lambda d: {by}, reverse={better == 'max'}):"
        yield f"        G.setdefault({kind}, {by})"
        first = f"B = [*G][:max({limit}, 0)]"
        if step.ties == "all":
            first = f"B = [*G.values()][:max({limit}, 0)]; B = [k for k in G if G[k] in B]"
        yield from self.keep_if(f"len(G) > {limit}", index, _unless(among, f"{kind} in B"), first)

    def looked_at(self, step: Rank, among: str, limit: str) -> Iterator[str]:
        """K has the subjects that are compared; nobody, where there are not so many that anyone could fall."""
        if step.among is None:
            yield "K = R"
        else:
            yield f"K = [d for d in R if {among}]{f' if len(R) > {limit} else []' if self.traced else ''}"

    def compared(self, keys: Sequence[Key]) -> tuple[str, str]:
        """What subjects are compared by, as source, and which function gives the best."""
        if len(keys) == 1:
            return self.source(keys[0].by), "max" if keys[0].descending else "min"
        order = ", ".join(f"-{self.source(key.by)}" if key.descending else self.source(key.by) for key in keys)
        return f"({order},)", "min"

    def let(self, index: int, step: Let) -> Iterator[str]:
        if step.of == "chosen":
            yield "d = R[0]"
        for each in step.values:
            if each.name in self.used or each.traced_as or step.of != "situation":
                yield f"{self.target(step, each.name)} = {self.source(each.value)}"
        traced = {each.traced_as: self.target(step, each.name) for each in step.values if each.traced_as}
        yield from self.trace(index, derived=self.dict(traced) if traced else "None")

    def target(self, step: Let, name: str) -> str:
        """The source of where a step puts the value of a fact."""
        if step.of == "chosen":
            return f"chosen[{self.names.constant(name)}]"
        return self.names.variable("e" if step.of == "every" else "v", name)


_WRITERS: dict[type, Callable[[_Writer, int, Any], Iterator[str]]] = {
    Filter: _Writer.filter,
    Rank: _Writer.rank,
    Let: _Writer.let,
}


@frozen
class CompiledExecutor:
    """The steps of a ruleset, ready to run. Safe to share between threads.

    There is a function for each form, made when it is first asked for: with and without trace, with and without what
    is carried.
    """

    steps: LoweredRuleset
    _functions: list[Callable[..., Run] | None] = field(factory=lambda: [None] * 4, init=False, repr=False)

    def run(
        self,
        situation: Any,
        among: Sequence[Any],
        carried: CarriedValues | None = None,
        earlier: Mapping[str, Any] = {},
        traced: bool = False,
    ) -> Run:
        """Run the steps on the candidates ``among``; ``earlier`` are facts of the document before."""
        form = 2 * traced + (carried is not None)
        function = self._functions[form] or self._made(form)
        return function(situation, among, carried, earlier)

    def _made(self, form: int) -> Callable[..., Run]:
        made = self._functions[form] = _function(self.steps, traced=form >= 2, carried=form % 2 == 1)
        return made


def _build_code(steps: LoweredRuleset, traced: bool, carried: bool) -> CodeType:
    """Build the code that defines ``decide``, with a trace or without, by what is carried or by the subjects' own."""
    writer = _Writer(steps if traced else _fuse_steps(steps), traced, carried)
    return writer.names.code("\n".join(writer.lines()), "exec", steps.ruleset.name)


def _fuse_steps(steps: LoweredRuleset) -> LoweredRuleset:
    """Fuse the same steps in fewer. What counts those that remain stays alone: it sees what the step before it left."""
    groups: list[list[Operation]] = []
    for step in steps.steps:
        if groups and _fall_at_once(groups[-1][0], step, steps.vocabulary):
            groups[-1].append(step)
        else:
            groups.append([step])
    return evolve(steps, steps=tuple(map(_as_one, groups)))


def _function(steps: LoweredRuleset, traced: bool, carried: bool) -> Callable[..., Run]:
    kept = steps.ruleset.about.carried
    scope: dict[str, Any] = {
        "START": kept and kept.start,
        "floor": compute_floor,
        "failure": partial(build_failure, steps),
        # Half the time of calling the class, twice a decision.
        "run": partial(tuple.__new__, Run),
        "__builtins__": BUILTINS,
    }
    exec(_build_code(steps, traced, carried), scope)  # noqa: S102 - it holds no text of a file, see language.python
    function: Callable[..., Run] = scope["decide"]
    return function


def _chooses(step: Operation) -> bool:
    return _ends(step) or (isinstance(step, Rank) and step.chooses)


def _ends(step: Operation) -> bool:
    return isinstance(step, Filter) and step.fate == "chosen"


def _unless(among: str, kept: str) -> str:
    """Source that holds for what is not looked at, and for what is kept."""
    return f"({kept})" if among == "True" else f"(not {among} or {kept})"


def _used(steps: LoweredRuleset) -> set[str]:
    """The words that a step, a term, a result or the document after this one uses."""
    trees = [*steps.expressions(), *steps.vocabulary.terms.values(), *steps.hands_on.values()]
    found = {word for tree in trees for word in find_words(tree)}
    traced = {value.name for step in steps.steps if isinstance(step, Let) for value in step.values if value.traced_as}
    return found | traced | {*steps.derived("situation"), FAILING_RULE, FAILING_CALL}


def _fall_at_once(one: Operation, other: Operation, vocabulary: Vocabulary) -> bool:
    if not (isinstance(one, Filter) and isinstance(other, Filter) and one.fate == other.fate == "out"):
        return False
    return one.when == other.when and not any(
        has_count(tree, vocabulary) for tree in (one.where, other.when, other.where)
    )


def _as_one(group: Sequence[Operation]) -> Operation:
    wheres = [step.where for step in group if isinstance(step, Filter)]
    return Filter(group[0].rule, group[0].when, _either(wheres), "out") if len(wheres) > 1 else group[0]


def _either(trees: Sequence[Expression]) -> Expression:
    """That one of them holds; halved again and again, for Python takes few brackets within one another."""
    if len(trees) == 1:
        return nodes.Paren(trees[0])
    half = len(trees) // 2
    return nodes.Or(_either(trees[:half]), _either(trees[half:]))
