"""The steps of a ruleset as bindings: each rule makes the list of remaining destinations anew, from the one before.

A destination is a packed number (tables.packing). What a rule needs twice is bound once, so the size of the SQL
grows with the number of rules and nothing is evaluated again. Lists are looked at only in rows where a rule can act.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, evolve, field
from sqlglot import exp

from mqclause.language.parse import type_of
from mqclause.language.vocabulary import BLANKS
from mqclause.rulebook.rule import (
    Choose,
    Conclude,
    Derive,
    Eliminate,
    Expression,
    FailWith,
    Holds,
    Keep,
    Rule,
    Ruleset,
    SetAside,
    TakeBack,
)
from mqclause.tables.binding import EMPTY, FALSE, TRUE, Bindings, both, either, when
from mqclause.tables.condition import Names, may_hold, sql_literal, sql_source
from mqclause.tables.constant import constant
from mqclause.tables.runs import Need, counts, runs

RULES_SHIFT = 10
"""A fate is the destination's place, so many bits up, and the rule's number from 1 in those bits."""


@define
class Steps:
    """Writes the bindings of one ruleset. ``names.remaining`` is the list of those that remain at any time.

    ``constants`` are words of the situation whose value is known beforehand, ``facts`` the bindings of derived ones.
    With ``traced``, ``fallen`` collects who fell by which rule. With ``nested``, what only one branch of a CASE uses
    will be bound in that branch (see mqclause.spark.pipeline), so whole runs of rules stand in one. ``failures`` are
    the bindings that say whether a rule ends the call with a reason code; ``held`` those that say whether a condition
    holds; ``asked`` and ``concluded`` whether the rule of a conclusion applies, and whether the conclusion is drawn.
    """

    ruleset: Ruleset
    names: Names
    bindings: Bindings
    constants: dict[str, Any]
    facts: dict[str, str]
    traced: bool = False
    nested: bool = False
    aside: str = EMPTY
    is_open: str = TRUE
    fallen: str = EMPTY
    failures: list[tuple[str, Rule]] = field(factory=list)
    held: dict[str, str] = field(factory=dict)
    concluded: dict[str, str] = field(factory=dict)
    asked: dict[str, str] = field(factory=dict)

    def write(self) -> None:
        """Writes all rules."""
        for need, passes in runs(self.ruleset):
            before, condition = self.names.remaining, self._has(need)
            for rules in passes:
                self._write(rules)
            if self.nested and condition != TRUE and self.names.remaining != before:
                after = self.bind(passes[0][0][1], "run", when(condition, self.names.remaining, before))
                self.names = evolve(self.names, remaining=after)

    def _has(self, need: Need) -> str:
        """Whether a row has what a run of rules needs."""
        lists = {"several": f"length_of({self.names.remaining}) > 1", "aside": f"length_of({self.aside}) > 0"}
        return both(self.is_open, lists[need]) if need in lists else TRUE

    def _write(self, rules: Sequence[tuple[int, Rule]]) -> None:
        number, rule = rules[0]
        if isinstance(rule.action, Eliminate):
            self.eliminate(rules)
        elif isinstance(rule.action, Choose) and rule.action.where is not None:
            self.choose_where(rules)
        else:
            _WRITERS[type(rule.action)](self, number, rule, rule.action)

    def source(self, tree: Expression, destination: str = "c") -> str:
        return sql_source(tree, self.names.at(destination))

    def bind(self, rule: Rule, what: str, source: str) -> str:
        return self.bindings.bind(f"{rule.id.replace('.', '_').replace('-', '_')}_{what}", source)

    def applies(self, rule: Rule, *before: str) -> str:
        """Whether a rule's ``when`` holds; counted only in rows where what stands ``before`` holds."""
        condition = TRUE if rule.when is None else self._condition(rule.when)
        if not counts(rule.when, self.names.vocabulary) or condition in (TRUE, FALSE):
            return both(*before, condition)
        return self.bind(rule, "applies", when(both(*before), condition, FALSE))

    def _condition(self, tree: Expression) -> str:
        known = constant(tree, self.names.vocabulary, self.constants)
        return self.source(tree) if known is None else sql_literal(known)

    def remain(self, rule: Rule, number: int | str, kept: str, fell: str, condition: str) -> None:
        """``kept`` is the list that remains where ``condition`` holds; ``fell`` says who of the old list fell.

        ``number`` is that of the rule, or SQL that tells it for each who fell.
        """
        before = self.names.remaining
        after = self.bind(rule, "left", when(condition, kept, before))
        if self.traced and after != before:
            fate = f"each(those({before}, lambda c: {fell}), lambda c: {self._fate(number)})"
            lost = f"length_of({after}) < length_of({before})"
            self.fallen = self.bind(rule, "fallen", when(lost, f"joined({self.fallen}, {fate})", self.fallen))
        self.names = evolve(self.names, remaining=after)

    def _fate(self, number: int | str) -> str:
        assert self.names.packing is not None  # noqa: S101 - there are destinations
        return f"{self.names.packing.place('c')} * {1 << RULES_SHIFT} + {number}"

    def eliminate(self, rules: Sequence[tuple[int, Rule]]) -> None:
        rule, remaining = rules[0][1], self.names.remaining
        wheres = [(number, self.source(_where(each))) for number, each in rules]
        fell = either(where for _, where in wheres)
        condition = self.applies(rule, self.is_open, either(may_hold(_where(each), self.names) for _, each in rules))
        if condition == FALSE:
            return
        numbers = " ".join(f"WHEN {where} THEN {number}" for number, where in wheres)
        self.remain(rule, f"CASE {numbers} END", f"those({remaining}, lambda c: NOT {fell})", fell, condition)

    def set_aside(self, number: int, rule: Rule, action: SetAside) -> None:
        remaining, where = self.names.remaining, self.source(action.where)
        condition = self.applies(rule, self.is_open, may_hold(action.where, self.names))
        found = when(condition, f"those({remaining}, lambda c: {where})", EMPTY)
        self.remain(rule, number, f"those({remaining}, lambda c: NOT {where})", where, condition)
        self.aside = self.bind(rule, "aside", found if self.aside == EMPTY else f"joined({self.aside}, {found})")

    def take_back(self, _: int, rule: Rule, action: TakeBack) -> None:
        if self.aside == EMPTY:
            return
        remaining, aside, where = self.names.remaining, self.aside, self.source(action.where)
        condition = self.applies(rule, self.is_open, f"length_of({aside}) > 0")
        if condition == FALSE:
            return
        taken = f"those({aside}, lambda c: {where})"
        after = self.bind(rule, "left", when(condition, f"sorted(joined({remaining}, {taken}))", remaining))
        if self.traced:
            assert self.names.packing is not None  # noqa: S101 - there are destinations
            places = f"each({taken}, lambda c: {self.names.packing.place('c')})"
            stay = f"those({self.fallen}, lambda e: NOT has({places}, e >> {RULES_SHIFT}))"
            self.fallen = self.bind(rule, "fallen", when(condition, stay, self.fallen))
        self.aside = self.bind(rule, "aside", when(condition, f"those({aside}, lambda c: NOT {where})", aside))
        self.names = evolve(self.names, remaining=after)

    def keep(self, number: int, rule: Rule, action: Keep) -> None:
        remaining, by = self.names.remaining, self._number(action.by)
        among = TRUE if action.among is None else self.source(action.among)
        condition = self.applies(rule, self.is_open, self.names.differ(action.by), f"length_of({remaining}) > 1")
        if condition == FALSE:
            return
        if action.at_most is not None:
            self._keep_some(number, rule, action, by, among, condition)
            return
        best_of = "highest" if action.best == "highest" else "lowest"
        if action.per is not None:
            self._keep_per_group(number, rule, action, best_of, condition)
            return
        key = by if among == TRUE else f"CASE WHEN {among} THEN {by} END"
        values = f"{best_of}(each({remaining}, lambda c: {key}))"
        best = self.bind(rule, "best", f"CASE WHEN {condition} THEN {values} END" if condition != TRUE else values)
        self._keep_best(number, rule, among, by, best, condition)

    def _keep_best(self, number: int, rule: Rule, among: str, by: str, best: str, condition: str) -> None:
        """``best`` is null where ``condition`` does not hold, or nobody has anything to compare; then all stay."""
        if self.nested:
            self._keep_where(number, rule, among, f"{by} IS NOT DISTINCT FROM {best}", condition)
        else:
            self._keep_where(number, rule, among, f"{by} = {best}", f"{best} IS NOT NULL")

    def _keep_where(self, number: int, rule: Rule, among: str, good: str, condition: str) -> None:
        """Keeps who is not looked at and who is good."""
        kept = good if among == TRUE else f"(NOT {among} OR {good})"
        remaining = self.names.remaining
        self.remain(rule, number, f"those({remaining}, lambda c: {kept})", f"NOT ({kept})", condition)

    def _keep_per_group(self, number: int, rule: Rule, action: Keep, best_of: str, condition: str) -> None:
        applies = self.bind(rule, "applies", condition)
        among = TRUE if action.among is None else self.source(action.among)
        per = exp.column(action.per or "")
        ours, theirs = self.source(per), self.source(per, "o")
        others = both(TRUE if action.among is None else self.source(action.among, "o"), f"{theirs} = {ours}")
        better = f"{self._number(action.by, 'o')} {'>' if best_of == 'highest' else '<'} {self._number(action.by)}"
        nobody = f"none({self.names.remaining}, lambda o: {both(better, others)})"
        self._keep_where(number, rule, among, nobody, applies)

    def _keep_some(self, number: int, rule: Rule, action: Keep, by: str, among: str, condition: str) -> None:
        assert action.at_most is not None  # noqa: S101 - told to the type checker
        limit = self.source(action.at_most)
        compared = self.names.remaining
        if among != TRUE:
            compared = self.bind(rule, "compared", when(condition, f"those({compared}, lambda c: {among})", EMPTY))
        many = self.bind(rule, "many", when(condition, f"length_of({compared}) > {limit}", FALSE))
        down = action.best == "highest"
        ordered = f"{'descending' if down else 'sorted'}(each({compared}, lambda c: {by}))"
        last = self.bind(rule, "last", f"CASE WHEN {many} THEN item({ordered}, {limit} - 1) END")
        better = f"{by} {'>' if down else '<'} {last}"
        if action.ties == "all":
            self._keep_where(number, rule, among, f"({better} OR {by} = {last})", many)
            return
        room = f"{limit} - length_of(those({compared}, lambda c: {better}))"
        equal = f"those({compared}, lambda c: {by} = {last})"
        lucky = self.bind(rule, "equal", f"CASE WHEN {many} THEN first_of({equal}, {room}) END")
        self._keep_where(number, rule, among, f"({better} OR has({lucky}, c))", many)

    def _number(self, tree: Expression, destination: str = "c") -> str:
        """What is compared: a truth value counts as 0 or 1."""
        names = self.names.at(destination)
        if isinstance(tree, exp.Column) and names.is_packed(tree):
            return names.packed(tree.name)
        is_flag = type_of(tree, self.names.vocabulary, per_destination=True).kind == "boolean"
        source = self.source(tree, destination)
        return f"CAST({source} AS INT)" if is_flag else source

    def choose(self, number: int, rule: Rule, action: Choose) -> None:
        condition = self.bind(rule, "applies", self.applies(rule, self.is_open))
        for by in action.by:
            several = both(condition, f"length_of({self.names.remaining}) > 1")
            key = self._number(by)
            values = f"lowest(each({self.names.remaining}, lambda c: {key}))"
            best = self.bind(rule, "best", f"CASE WHEN {several} THEN {values} END")
            self._keep_best(number, rule, TRUE, key, best, several)
        self.is_open = self.bind(rule, "open", both(self.is_open, f"NOT {condition}"))

    def choose_where(self, rules: Sequence[tuple[int, Rule]]) -> None:
        """Of consecutive choices the first that finds anybody decides, so all can look at the same list."""
        remaining = self.names.remaining
        found: list[tuple[str, int, Rule, str]] = []
        for number, rule in rules:
            condition = self.applies(rule, self.is_open, may_hold(_where(rule), self.names))
            where = self.source(_where(rule))
            if FALSE not in (condition, where):
                chosen = self.bind(rule, "chosen", when(condition, f"those({remaining}, lambda c: {where})", EMPTY))
                found.append((chosen, number, rule, where))
        if not found:
            return
        last = found[-1][2]
        after = self.bind(last, "left", f"CASE {_first(found, lambda each: each[0])} ELSE {remaining} END")
        if self.traced:
            fates = "each(those({}, lambda c: NOT {}), lambda c: {})"
            lost = {chosen: fates.format(remaining, where, self._fate(number)) for chosen, number, _, where in found}
            branches = _first(found, lambda each: f"joined({self.fallen}, {lost[each[0]]})")
            self.fallen = self.bind(last, "fallen", f"CASE {branches} ELSE {self.fallen} END")
        nobody = [f"length_of({chosen}) = 0" for chosen, *_ in found]
        self.is_open = self.bind(last, "open", both(self.is_open, *nobody))
        self.names = evolve(self.names, remaining=after)

    def derive(self, _: int, rule: Rule, action: Derive) -> None:
        condition = self.applies(rule)
        for name, tree in action.values:
            if action.of == "situation":
                blank = sql_literal(BLANKS[self.names.vocabulary.words[name].type.kind])
                value = when(condition, self.source(tree), self.facts.get(name, blank))
                self.facts[name] = self.bindings.bind(name, value)
            elif action.of == "every" and condition != FALSE:
                value = f"CASE WHEN {condition} THEN {self.source(tree)} END"
                overridden = {**self.names.overridden, name: self.bind(rule, name, value)}
                self.names = evolve(self.names, overridden=overridden)

    def fail_with(self, _: int, rule: Rule, __: FailWith) -> None:
        self.failures.append((self.applies(rule), rule))

    def holds(self, _: int, rule: Rule, action: Holds) -> None:
        examined = self.applies(rule)
        self.held[rule.id] = self.bind(rule, "holds", when(examined, self.source(action.when), TRUE))

    def conclude(self, _: int, rule: Rule, action: Conclude) -> None:
        self.asked[rule.id] = self.bind(rule, "asked", self.applies(rule))
        condition = both(self.asked[rule.id], *(self.held[need] for need in action.needs))
        concluded = self.concluded[rule.id] = self.bind(rule, "concludes", condition)
        already = self.facts.get(action.fact)
        either_way = f"({already} OR {concluded})" if already else concluded
        self.facts[action.fact] = self.bindings.bind(action.fact, either_way)


_WRITERS: dict[type, Callable[[Steps, int, Rule, Any], None]] = {
    SetAside: Steps.set_aside,
    TakeBack: Steps.take_back,
    Keep: Steps.keep,
    Choose: Steps.choose,
    Derive: Steps.derive,
    FailWith: Steps.fail_with,
    Holds: Steps.holds,
    Conclude: Steps.conclude,
}


def _first(found: Sequence[tuple[str, int, Rule, str]], then: Callable[[tuple[str, int, Rule, str]], str]) -> str:
    """The branches of a CASE: what follows for the first choice that found anybody."""
    return " ".join(f"WHEN length_of({each[0]}) > 0 THEN {then(each)}" for each in found)


def _where(rule: Rule) -> Expression:
    """Which destinations a rule eliminates or chooses."""
    assert isinstance(rule.action, Eliminate | Choose) and rule.action.where is not None  # noqa: S101, PT018
    return rule.action.where
