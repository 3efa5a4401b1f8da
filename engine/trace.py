"""Record what each rule did, say it in a sentence, and write it as the document ``mqclause.trace/1``."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeVar

from attrs import define, field, frozen

from mqclause.executors.operations import Run, Trace
from mqclause.language import nodes
from mqclause.language.codegen import SourceNames, write_attribute, write_python
from mqclause.language.evaluator import Scope, evaluate
from mqclause.language.nodes import strip_parentheses
from mqclause.language.vocabulary import Vocabulary, compute_floor
from mqclause.model.facts.domains import REASONS
from mqclause.rulebook.rule import (
    Action,
    Choose,
    Conclude,
    Derive,
    Expression,
    Keep,
    MessageTemplate,
    OrderBy,
    Rule,
    Ruleset,
    SetAside,
    Settle,
    identify_rule,
)

FORMAT = "mqclause.trace/1"

SubjectNamer = Callable[[Any], dict[str, Any]]
"""How a document names a subject, as a dictionary of its own."""

json_text = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode

Part = Literal["when", "action"]

_T = TypeVar("_T")

ScopedFunction = Callable[[Any, Any, Any, Any, Any], Callable[[Any], _T]]
"""From the situation, who remained, what is carried, the facts, and those of every subject, to what tells of one."""


@define(unsafe_hash=True)  # A decision tells many, and attrs takes twice as long where it is frozen.
class Effect:
    """A subject that a rule decided on, the sentence that says why, and (at level condition) the tests."""

    subject: Any
    because: str
    tests: tuple[Test, ...] = ()
    is_tied: bool = False
    """It equals one that stayed and was listed before it."""


@frozen(cache_hash=True)
class StepTrace:
    """The effect of one rule. ``eliminated`` are out for good; of ``set_aside`` a later step may take some back.

    ``remaining`` counts who remained after the rule. ``when`` holds, at level condition, the tests of the rule's
    precondition.
    """

    rule: Rule = field(eq=identify_rule)
    applied: bool
    remaining: int
    eliminated: tuple[Effect, ...] = ()
    set_aside: tuple[Effect, ...] = ()
    taken_back: tuple[Any, ...] = ()
    derived: Mapping[str, Any] | None = field(default=None, hash=False)
    when: tuple[Test, ...] = ()
    is_shared: bool = False
    """The same step stands in many decisions, because it changed nobody's fate."""

    @cached_property
    def shared_document(self) -> Mapping[str, Any]:
        """The JSON values of a step that names no subject."""
        return _document(self, dict)

    @cached_property
    def shared_text(self) -> str:
        """The same as JSON text."""
        return json_text(self.shared_document)


class RuleInput(NamedTuple):
    """The input of a rule besides the situation: who remained, and the facts derived before it."""

    remaining: Sequence[Any]
    facts: Mapping[str, Any]
    every: Mapping[str, Any]


def build_steps(
    ruleset: Ruleset, run: Run, listed: Sequence[Any], scope: Scope, conditions: bool
) -> tuple[StepTrace, ...]:
    """Build the steps of a traced ``run`` over the subjects ``listed``.

    ``scope`` is what the first rule saw; with ``conditions`` the tests are filled in.
    """
    assert run.trace is not None, "the run was not traced"  # noqa: S101
    remaining = len(listed)
    found = []
    inputs = list_rule_inputs(ruleset, run, listed, scope)
    for at, (rule, did, saw) in enumerate(zip(ruleset.rules, run.trace, inputs, strict=True)):
        fallen, taken_back, remaining, derived = did or ((), (), remaining, None)
        if not (conditions or fallen or taken_back):
            found.append(_still(rule, did is not None, remaining, tuple(derived.items()) if derived else ()))
            continue
        then = build_scope(saw, scope)
        when = build_test_recorder(ruleset, rule, "when", then)(None) if conditions and rule.when is not None else ()
        out = _fates(ruleset, rule, fallen, then, conditions) if fallen else ()
        aside: tuple[Effect, ...] = ()
        if out and isinstance(rule.action, SetAside):
            aside, out = out, _for_good(out, run.trace[at:])
        found.append(StepTrace(rule, did is not None, remaining, out, aside, tuple(taken_back), derived, when))
    return tuple(found)


def list_rule_inputs(
    ruleset: Ruleset, run: Run, listed: Sequence[Any], scope: Scope, in_order: bool = True
) -> Iterator[RuleInput]:
    """List what each rule of a traced ``run`` saw: as its executor kept it, else rebuilt from the rules before it.

    ``scope`` is what the first rule saw. Unless it has to be ``in_order``, who remained is told in any order: so a
    million subjects are not ordered once more.
    """
    if run.saw is not None:
        yield from (RuleInput(each.remaining, each.facts, each.every) for each in run.saw)
        return
    seen = RuleInput(listed, scope.facts, scope.every)
    for rule, did in zip(ruleset.rules, run.trace or (), strict=True):
        yield seen
        if did is None:
            continue
        fallen, taken_back, _, derived = did
        if taken_back:
            seen = RuleInput(_among(listed, [*seen.remaining, *taken_back]), seen.facts, seen.every)
        elif fallen:
            seen = RuleInput(_without(seen.remaining, fallen), seen.facts, seen.every)
        elif derived:
            seen = _knowing(derived, rule.action, seen)
        elif in_order and isinstance(rule.action, OrderBy):
            listed = _ordered(rule.action, listed, build_scope(seen, scope))
            seen = RuleInput(_among(listed, seen.remaining), seen.facts, seen.every)
        if isinstance(rule.action, Choose) and rule.action.ties == "last-listed":
            seen = RuleInput(seen.remaining[::-1], seen.facts, seen.every)


def render_remarks(
    ruleset: Ruleset, remarking: Iterable[Rule], run: Run, listed: Sequence[Any], scope: Scope
) -> tuple[str, ...]:
    """Render the remarks of some of the rules of a traced ``run``, with the values that each rule saw.

    ``scope`` is what the first rule saw.
    """
    saw = list(list_rule_inputs(ruleset, run, listed, scope))
    told = ((rule, build_scope(saw[ruleset.rules.index(rule)], scope)) for rule in remarking)
    return tuple([render_sentence(ruleset, rule, None, seen, MessageTemplate(rule.remark)) for rule, seen in told])


def build_scope(seen: RuleInput, first: Scope) -> Scope:
    """Build the scope in which a rule was evaluated; ``first`` is the scope of the first rule."""
    return Scope(first.vocabulary, first.situation, seen.remaining, first.carried, seen.facts, seen.every)


def find_scope(ruleset: Ruleset, rule: Rule, run: Run, listed: Sequence[Any], first: Scope) -> Scope:
    """Find the scope in which a rule was evaluated by a traced ``run``; ``first`` is the scope of the first rule."""
    saw = list_rule_inputs(ruleset, run, listed, first)
    return build_scope(next(islice(saw, ruleset.rules.index(rule), None)), first)


def render_sentence(
    ruleset: Ruleset, rule: Rule, subject: Any | None, scope: Scope, because: MessageTemplate | None = None
) -> str:
    """Render a sentence of the rule, its because if none is given, about ``subject`` (None: about the situation alone).

    ``scope`` is what the rule saw. Blank where the rule has no because.
    """
    return build_sentence_renderer(ruleset, rule, scope, because)(subject)


def build_sentence_renderer(
    ruleset: Ruleset, rule: Rule, scope: Scope, because: MessageTemplate | None = None
) -> Callable[[Any], str]:
    """Build a function that renders a sentence of the rule about a subject, for many subjects of one run."""
    return _bind_scope(scope, _compiled(ruleset, rule, because, scope.carried is not None))


def render_value(value: Any) -> str:
    """Render a value as it stands in a sentence."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, tuple):
        return " and ".join(map(render_value, value))
    return str(value) if value != "" else "blank"


def _add_row_numbers(reason: str) -> str:
    """Add the name of a reason code with its number."""
    return f"{reason} ({REASONS[reason]})" if reason else render_value(reason)


def build_step_document(step: StepTrace, named: SubjectNamer) -> dict[str, Any]:
    """Build a step as JSON values; ``named`` says how a subject is named."""
    if step.is_shared:
        document = dict(step.shared_document)
        document["eliminated"] = []
        if step.derived:
            document["derived"] = dict(step.derived)
        return document
    return _document(step, named)


def encode_steps(steps: Sequence[StepTrace], named: SubjectNamer) -> str:
    """Encode the documents of ``steps`` as json.dumps would, several times as fast: most are the same every time."""
    texts = [step.shared_text if step.is_shared else json_text(build_step_document(step, named)) for step in steps]
    return f"[{', '.join(texts)}]"


@frozen
class Test:
    """One test of a condition, with the values that it saw."""

    condition: str
    holds: bool
    values: Mapping[str, Any]


def build_test_recorder(ruleset: Ruleset, rule: Rule, part: Part, scope: Scope) -> Callable[[Any], tuple[Test, ...]]:
    """Build a recorder of a rule's tests of one subject; about None, of the tests of its precondition.

    ``scope`` is what the rule saw.
    """
    return _bind_scope(scope, _compiled_condition(ruleset, rule, part, scope.carried is not None))


@frozen
class TraceNames(SourceNames):
    """The spelling of words in the source that ``_compile_scoped_function`` compiles: as a rule saw them.

    ``has_carried`` says whether there are values that were carried, which come before a subject's own.
    """

    has_carried: bool = False

    def fact(self, name: str) -> str:
        """Return the source of a derived fact."""
        return f"F.get({self.constant(name)}, {self.constant(self.vocabulary.words[name].blank)})"

    def carried(self, variable: str, name: str) -> str:
        """Return the source of what is carried, which may be derived for every subject."""
        word = self.constant(name)
        own = f"C({variable}, {word})" if self.has_carried else write_attribute(variable, name)
        return f"E.get({word}, {own})"


def _compile_scoped_function(source: str, names: SourceNames, **known: Any) -> ScopedFunction[Any]:
    """Compile a function of ``source``, a lambda of the subject ``d``, which may use what is ``known`` besides."""
    scope = {
        "bool": bool,
        "float": float,
        "max": max,
        "min": min,
        "len": len,
        "floor": compute_floor,
        **known,
        "__builtins__": {},
    }
    code = names.code(f"lambda s, R, C, F, E: {source}", "eval")
    compiled: ScopedFunction[Any] = eval(code, scope)  # noqa: S307 - it holds no text of a file
    return compiled


def _bind_scope(scope: Scope, of: ScopedFunction[_T]) -> Callable[[Any], _T]:
    """Bind the scope of a rule to one subject at a time."""
    return of(scope.situation, scope.remaining, scope.carried, scope.facts, scope.every)


def _for_good(aside: tuple[Effect, ...], trace: Trace) -> tuple[Effect, ...]:
    """Who is set aside is out unless a step that follows in the ``trace`` takes it back."""
    returned = {id(each) for did in trace if did for each in did[1]}
    return tuple([each for each in aside if id(each.subject) not in returned])


def _ordered(action: OrderBy, listed: Sequence[Any], scope: Scope) -> Sequence[Any]:
    """The subjects as they are listed from a rule on that orders them."""
    for by, descending in reversed(action.by):
        listed = sorted(listed, key=lambda each, by=by: evaluate(by, scope.about(each)), reverse=descending)  # type: ignore[misc]
    return listed


def _among(listed: Sequence[Any], subjects: Iterable[Any]) -> list[Any]:
    """These subjects in the order in which they are listed."""
    kept = set(map(id, subjects))
    return [each for each in listed if id(each) in kept]


def _without(subjects: Iterable[Any], fallen: Iterable[Any]) -> list[Any]:
    gone = set(map(id, fallen))
    return [each for each in subjects if id(each) not in gone]


def _knowing(derived: Mapping[str, Any], action: Action, seen: RuleInput) -> RuleInput:
    """What the rule after an ``action`` sees that derived something."""
    if isinstance(action, Conclude):
        known = seen.facts.get(action.fact, False) or derived[action.fact]
        return RuleInput(seen.remaining, {**seen.facts, action.fact: known}, seen.every)
    if isinstance(action, Settle) or (isinstance(action, Derive) and action.of == "situation"):
        return RuleInput(seen.remaining, {**seen.facts, **derived}, seen.every)
    if isinstance(action, Derive) and action.of == "every":
        return RuleInput(seen.remaining, seen.facts, {**seen.every, **derived})
    return seen


@lru_cache(maxsize=4096)
def _still(rule: Rule, applied: bool, remaining: int, derived: tuple[tuple[str, Any], ...]) -> StepTrace:
    """The step of a rule by which nobody's fate changed: most are, so they are made once."""
    return StepTrace(rule, applied, remaining, derived=dict(derived) or None, is_shared=True)


def _tied(action: Keep, fallen: Iterable[Any], scope: Scope) -> set[int]:
    """The ids of those that fell by a ``keep`` though they equal one that stayed."""
    gone = {id(each): evaluate(action.by, scope.about(each)) for each in fallen}
    compared = [scope.about(each) for each in scope.remaining if id(each) not in gone]
    kept = {evaluate(action.by, each) for each in compared if action.among is None or evaluate(action.among, each)}
    return {each for each, value in gone.items() if value in kept}


def _fates(ruleset: Ruleset, rule: Rule, fallen: Sequence[Any], scope: Scope, conditions: bool) -> tuple[Effect, ...]:
    """Why ``rule`` let each of them fall, seen from the scope before the rule."""
    because, action = build_sentence_renderer(ruleset, rule, scope), rule.action
    limited = isinstance(action, Keep) and action.at_most is not None
    if not (conditions or limited):
        return tuple([Effect(each, because(each)) for each in fallen])
    tested = build_test_recorder(ruleset, rule, "action", scope) if conditions else lambda _: ()
    tied = _tied(action, fallen, scope) if isinstance(action, Keep) and limited else ()
    return tuple([Effect(each, because(each), tested(each), id(each) in tied) for each in fallen])


@lru_cache(maxsize=4096)
def _compiled(ruleset: Ruleset, rule: Rule, because: MessageTemplate | None, carried: bool) -> ScopedFunction[str]:
    """A because as a function: sentences are read by the thousand, so their expressions are compiled too."""
    because = because or rule.because or MessageTemplate("")
    names = TraceNames(ruleset.vocabulary, has_carried=carried)
    text, values, best = "", [], ""
    writers: dict[str, Any] = {}
    for literal, name, write in because.parts():
        text += literal.replace("%", "%%")
        if name is None:
            continue
        source = _source(name, rule, names)
        if name in ("highest", "lowest") and isinstance(rule.action, Keep) and rule.action.per is None:
            # The same for every subject, so it is looked for once.
            best, source = f", best={source}", "best"
        text += "%s"
        value = _shown(source, name, ruleset.vocabulary)
        # A number or a flag is no text, which a command would have to quote.
        if write is not None and ruleset.vocabulary.kind(name) not in ("whole", "number", "boolean"):
            writers[write.__name__] = write
            value = f"{write.__name__}(shown({value}))"
        values.append(value)
    said = names.constant(text if values else text % ())
    said += f" % ({''.join(f'{each}, ' for each in values)})" if values else ""
    return _compile_scoped_function(
        f"lambda d{best}: {said}", names, shown=render_value, numbered=_add_row_numbers, **writers
    )


def _shown(source: str, name: str, vocabulary: Vocabulary) -> str:
    """The source of a value as ``shown`` gives it; most are text or whole numbers."""
    if _is_reason(nodes.Column(name), vocabulary):
        return f"numbered({source})"
    if vocabulary.kind(name) == "text":
        return f"{source} or 'blank'"
    return source if vocabulary.kind(name) == "whole" else f"shown({source})"


def _is_reason(tree: nodes.Expression, vocabulary: Vocabulary) -> bool:
    """Whether an expression is the name of a reason code, or blank, and nothing else."""
    match tree:
        case nodes.Column() if tree.name in vocabulary.words:
            words = {*vocabulary.words[tree.name].type.words} - {""}
            return bool(words) and words <= REASONS.keys()
        case nodes.Column() if tree.name in vocabulary.terms:
            return _is_reason(vocabulary.terms[tree.name], vocabulary)
        case nodes.Case():
            values = tree.values
            return all(_is_reason(each, vocabulary) for each in values)
        case nodes.Literal():
            return str(tree.this) in REASONS
    return False


def _source(name: str, rule: Rule, names: SourceNames) -> str:
    action = rule.action
    if isinstance(action, Keep) and name in ("highest", "lowest"):
        others = names.at("o")
        among = "True" if action.among is None else write_python(action.among, others)
        same = "True" if action.per is None else f"{others.of(action.per)} == {names.of(action.per)}"
        best = "max" if name == "highest" else "min"
        return f"{best}([{write_python(action.by, others)} for o in R if {among} and {same}])"
    if isinstance(action, Keep) and name == "at_most" and action.at_most is not None:
        return write_python(action.at_most, names)
    if isinstance(action, Choose) and name == "lowest":
        values = ", ".join(write_python(tree, names.at("o")) for tree in action.by)
        return f"min([({values},) for o in R])"
    return write_python(nodes.Column(name), names)


def _document(step: StepTrace, named: SubjectNamer) -> dict[str, Any]:
    document: dict[str, Any] = {
        "rule": step.rule.id,
        "clause": step.rule.clause,
        "applied": step.applied,
        "remaining": step.remaining,
        "eliminated": [_fate(fate, named) for fate in step.eliminated],
    }
    if step.set_aside:
        document["set_aside"] = [_fate(fate, named) for fate in step.set_aside]
    if step.taken_back:
        document["taken_back"] = [named(each) for each in step.taken_back]
    if step.derived:
        document["derived"] = dict(step.derived)
    if step.when:
        document["when"] = [*map(_test, step.when)]
    return document


def _fate(fate: Effect, named: SubjectNamer) -> dict[str, Any]:
    document = named(fate.subject)
    document["because"] = fate.because
    if fate.tests:
        document["tests"] = [*map(_test, fate.tests)]
    return document


def _test(test: Test) -> dict[str, Any]:
    values = {name: list(value) if isinstance(value, tuple) else value for name, value in test.values.items()}
    return {"condition": test.condition, "holds": test.holds, "values": values}


@lru_cache(maxsize=4096)
def _compiled_condition(ruleset: Ruleset, rule: Rule, part: Part, carried: bool) -> ScopedFunction[tuple[Test, ...]]:
    names = TraceNames(ruleset.vocabulary, has_carried=carried)
    sources = _of_when(rule, names) if part == "when" else _of_action(rule, names)
    return _compile_scoped_function(f"lambda d: ({''.join(f'{each}, ' for each in sources)})", names, Test=Test)


def _of_when(rule: Rule, names: SourceNames) -> Iterator[str]:
    if rule.when is not None:
        words = names.vocabulary.words
        of_subjects = [name for name, word in words.items() if word.about == "subject"]
        yield from _tests(rule.when, names, of_subjects)


def _of_action(rule: Rule, names: SourceNames) -> Iterator[str]:
    for tree in (getattr(rule.action, part, None) for part in ("where", "among")):
        if tree is not None:
            yield from _tests(tree, names)
    by = getattr(rule.action, "by", ())
    for tree in by if isinstance(by, tuple) else (by,):
        # A value that lost against the best of those that remained; the because says which that is.
        text = tree.sql()
        best, value = names.constant(f"{text} is the best"), names.constant(text)
        yield f"Test({best}, False, {{{value}: {write_python(tree, names)}}})"


def _tests(tree: Expression, names: SourceNames, left_out: Collection[str] = ()) -> Iterator[str]:
    """The source of a test for each part of a condition (parts joined by AND), with the values of its words."""
    tree = strip_parentheses(tree)
    if isinstance(tree, nodes.And):
        yield from _tests(tree.this, names, left_out)
        yield from _tests(tree.expression, names, left_out)
        return
    words = dict.fromkeys(column.name for column in tree.find_all(nodes.Column))
    seen = [name for name in words if name not in left_out]
    values = [f"{names.constant(name)}: {write_python(nodes.Column(name), names)}" for name in seen]
    yield f"Test({names.constant(tree.sql())}, bool({write_python(tree, names)}), {{{', '.join(values)}}})"


MOST_NAMED = 4
"""How many of several destinations are named."""


def join_names(names: list[str], last: str = "and") -> str:
    """Join names for a sentence: ``QM2, QM3 and QM4``; of many the first few and how many more."""
    shown = names if len(names) <= MOST_NAMED + 1 else [*names[:MOST_NAMED], f"{len(names) - MOST_NAMED} more"]
    return shown[0] if len(shown) == 1 else f" {last} ".join((", ".join(shown[:-1]), shown[-1])) if shown else ""
