"""Gather what a rulebook shows: sentences, rules and how they vary, cases, mutants and words, and a run made for it."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

from attrs import field, frozen

from mqclause.audit.accounts import (
    RuleAccount,
    RunOrder,
    SentenceAccount,
    WordAccount,
    describe_rule,
    find_ruleset,
    list_orders,
    list_sentences,
    list_words,
)
from mqclause.audit.case_run import (
    CaseResult,
    MutantResult,
    RuleCoverage,
    measure_coverage,
    read_file_cases,
    try_mutants,
)
from mqclause.audit.proof import DocumentProof, Law, LawProof, prove_agreement, prove_law, prove_laws, read_laws
from mqclause.documents import DOCUMENTS
from mqclause.rulebook.clauses import ClauseFile, read_clause_files
from mqclause.rulebook.loader import ORDER_KEYS, OVERRIDES, Reading
from mqclause.rulebook.mutants import TERMS_FILE
from mqclause.rulebook.rule import Rule
from mqclause.rulebook.rule_file import ACTIONS
from mqclause.rulebook.rules import LAWS_FILE, Rules, get_rule_id
from mqclause.testing.case_kinds import RunnableCase
from mqclause.tools.rulebook.wording import Phrase, Saying, describe_action, word_law

MOST_SITUATIONS = 500
"""So many situations are tried of one rule."""

VariationKind = Literal["edition", "reading"]

WORDED = frozenset({*ACTIONS, *ORDER_KEYS, "leave_out", "remark", "title", "when"})
"""The keys of a rule file that are put in words."""


class Term(NamedTuple):
    """What a term stands for, and what that means."""

    stands_for: str
    means: str


@frozen
class Variation:
    """What is otherwise with a rule in an ``edition``, against the one before, or under a reading (``id=choice``).

    A reading is against the default, in the edition ``since``; blank: since the rule is there. ``defaults`` are the
    choices that became defaults with the edition. What is as it was is blank or empty: the ``title``, the rule beside
    which it ``runs`` (``after workload.04e``), the ``sayings``, the ``terms`` with what they stand for, and the
    other ``keys`` of its file. ``instead`` are the rules of its clause that came with the edition by which it went.
    """

    kind: VariationKind
    name: str
    since: str
    defaults: tuple[str, ...]
    is_there: bool
    was_there: bool
    title: str
    runs: str
    sayings: tuple[Saying, ...]
    terms: Mapping[str, Term]
    keys: tuple[str, ...]
    instead: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """What is otherwise, in a few words."""
        return "; ".join(self._tell())

    def _tell(self) -> Iterator[str]:
        if not self.is_there:
            yield "there is no such rule"
            return
        if not self.was_there:
            yield "the rule is there again"
        if self.runs:
            yield f"it runs {self.runs}"
        if self.title:
            yield "it has another title"
        if self.sayings:
            yield "it asks, does or explains otherwise"
        if self.terms:
            same = "" if self.sayings else "its text is the same, but "
            yield f"{same}it looks at terms that stand for something else: {', '.join(self.terms)}"
        if self.keys:
            yield f"these keys of its file say otherwise: {', '.join(self.keys)}"


@frozen
class _Stated:
    """What a rule states in one edition under some readings, and what its terms stand for."""

    is_there: bool
    title: str = ""
    runs: str = ""
    sayings: tuple[Saying, ...] = ()
    terms: Mapping[str, Term] = field(factory=dict)
    table: Mapping[str, Any] = field(factory=dict)

    @classmethod
    def of(cls, rules: Rules, account: RuleAccount) -> _Stated:
        about = DOCUMENTS[account.id.partition(".")[0]]
        rule = next((each for each in rules.ruleset(about).rules if each.id == account.id), None)
        if rule is None:
            return cls(False)
        table = rules.in_force.stated(rules.toml(account.path), ACTIONS)
        terms = rules.toml(TERMS_FILE).get(about.name, {})
        runs = next((f"right {key} {table[key]}" for key in ORDER_KEYS if key in table), "at the place of its number")
        in_force = {name: rules.in_force.stated(terms[name]) for name in account.terms}
        named = {name: Term(str(each.get("is", "")), str(each.get("means", ""))) for name, each in in_force.items()}
        return cls(True, rule.title, runs, describe_action(rule), named, table)

    def vary(
        self, kind: VariationKind, name: str, before: _Stated, since: str = "", defaults: tuple[str, ...] = (),
        instead: tuple[str, ...] = (),
    ) -> Variation:  # fmt: skip
        """Tell what is otherwise than ``before``."""
        differs = before.is_there
        return Variation(
            kind, name, since, defaults, self.is_there, before.is_there,
            self.title if differs and self.title != before.title else "",
            self.runs if differs and self.runs != before.runs else "",
            () if differs and self.sayings == before.sayings else self.sayings,
            {each: term for each, term in self.terms.items() if differs and before.terms.get(each) != term},
            tuple(self._differing(before)) if differs and self.is_there else (), instead,
        )  # fmt: skip

    def _differing(self, before: _Stated) -> Iterator[str]:
        """The keys that say otherwise and are not put in words."""
        for key in dict.fromkeys((*before.table, *self.table)):
            worded = key in WORDED and (self.sayings != before.sayings or key not in ACTIONS)
            if not worded and before.table.get(key) != self.table.get(key):
                yield key


def list_variations(rules: Rules, account: RuleAccount) -> tuple[Variation, ...]:
    """List what is otherwise with a rule: in later editions, oldest first, then under readings."""
    read = rules.read_editions()
    stated = [(each, _Stated.of(each, account)) for each in read]
    while stated and not stated[0][1].is_there:
        del stated[0]
    return (*_in_editions(account, stated), *_under_readings(account, stated))


def _in_editions(account: RuleAccount, stated: Sequence[tuple[Rules, _Stated]]) -> Iterator[Variation]:
    for (last, before), (rules, now) in pairwise(stated):
        if now != before:
            instead = () if now.is_there else tuple(_list_instead(last, rules, account))
            defaults = list_new_defaults(last, rules, _readings_of(account))
            yield now.vary("edition", rules.edition, before, defaults=defaults, instead=instead)


def _under_readings(account: RuleAccount, stated: Sequence[tuple[Rules, _Stated]]) -> Iterator[Variation]:
    """Where a choice is none of the oldest edition of the rule, or is the default there, a later edition counts."""
    for name in _readings_of(account):
        for choice in stated[0][0].known_readings[name].every_choice:
            for at, (rules, before) in enumerate(stated):
                if choice not in rules.known_readings[name].choices or rules.readings[name] == choice:
                    continue
                now = _Stated.of(rules.under({**rules.given_readings, name: choice}), account)
                if now != before:
                    yield now.vary("reading", f"{name}={choice}", before, rules.edition if at else "")
                    break


def _readings_of(account: RuleAccount) -> dict[str, None]:
    return dict.fromkeys(name.partition("=")[0] for name in account.readings)


def list_new_defaults(before: Rules, after: Rules, readings: Collection[str]) -> tuple[str, ...]:
    """List those of some readings whose default another edition has changed, each with its new default."""
    return tuple(f"{each}={after.readings[each]}" for each in readings if before.readings[each] != after.readings[each])


def _list_instead(before: Rules, after: Rules, account: RuleAccount) -> Iterator[str]:
    """The rules of the same clause that the later edition has and the earlier one has not."""
    about = DOCUMENTS[account.id.partition(".")[0]]
    known = {each.id for each in before.ruleset(about).rules}
    yield from (each.id for each in after.ruleset(about).rules
                if each.clause == account.clause and each.id not in known)  # fmt: skip


@frozen
class Origin:
    """The edition that a rule came with, blank if it was always there, and the choices that became defaults then."""

    edition: str = ""
    defaults: tuple[str, ...] = ()


def find_origin(rules: Rules, account: RuleAccount) -> Origin:
    """Find the edition that a rule came with."""
    read = rules.read_editions()
    if not read or _Stated.of(read[0], account).is_there:
        return Origin()
    for before, after in pairwise(read):
        if _Stated.of(after, account).is_there:
            return Origin(after.edition, list_new_defaults(before, after, _readings_of(account)))
    return Origin()


@frozen
class ShownCase:
    """A case of a rule with what came of it; ``number`` is its place on the page of the rule."""

    number: int
    rule: str
    file: str
    name: str
    acts: bool
    edition: str
    readings: Mapping[str, str]
    clauses: tuple[str, ...]
    facts: Mapping[str, Any]
    expect: Mapping[str, Any]
    wrong: tuple[str, ...]

    @property
    def has_level(self) -> bool:
        """Whether its facts have a command level, which an edition may go by."""
        return '"command_level"' in json.dumps(self.facts, default=str)

    @property
    def key(self) -> str:
        """What sentences call it."""
        return f"{self.file}: {self.name}"


@frozen(eq=False)
class ShownRule:
    """A rule: what audits tell of it, its text, what it says in words, its cases and its mutants."""

    account: RuleAccount
    rule: Rule
    text: str
    sayings: tuple[Saying, ...]
    origin: Origin
    variations: tuple[Variation, ...]
    cases: tuple[ShownCase, ...]
    mutants: tuple[MutantResult, ...]
    coverage: RuleCoverage | None

    @property
    def id(self) -> str:
        """The id of the rule."""
        return self.account.id

    @property
    def document(self) -> str:
        """The folder of the rule."""
        return self.id.partition(".")[0]

    @property
    def counted(self) -> Counter[str]:
        """How many of its mutants became what."""
        return Counter(each.status for each in self.mutants)

    @property
    def words(self) -> dict[str, None]:
        """The words that it names, each once, then those that its terms stand for."""
        said = dict.fromkeys(name for each in self.sayings for name in each.phrase.list_names())
        return said | dict.fromkeys(self.account.terms)


@frozen(eq=False)
class ShownSentence:
    """A sentence with the rules that state it and the cases that name it; a rule that is not there is left out."""

    account: SentenceAccount
    rules: tuple[ShownRule, ...]
    cases: tuple[ShownCase, ...]

    @property
    def failed(self) -> int:
        """How many of its cases came out otherwise."""
        return sum(bool(each.wrong) for each in self.cases)

    @property
    def by_rule(self) -> dict[str, list[ShownCase]]:
        """The cases by rule: of each rule that states it, and of any other that has a case for it."""
        found: dict[str, list[ShownCase]] = {each.id: [] for each in self.rules}
        for case in self.cases:
            found.setdefault(case.rule, []).append(case)
        return found

    @property
    def missing(self) -> tuple[str, ...]:
        """The rules that it names and that are not there."""
        there = {each.id for each in self.rules}
        return tuple(each for each in self.account.clause.rules or () if each not in there)


@frozen(eq=False)
class ShownDocument:
    """A file of ``documents/`` with its sentences in order."""

    file: ClauseFile
    sentences: tuple[ShownSentence, ...]

    @property
    def counted(self) -> Counter[str]:
        """How many sentences there are of each state."""
        return Counter(each.account.state for each in self.sentences)

    @property
    def failed(self) -> int:
        """How many of its sentences have a case that came out otherwise."""
        return sum(bool(each.failed) for each in self.sentences)


@frozen(eq=False)
class ShownLaw:
    """A law with what was shown of it, and its condition in words; None where it is about the order of rules.

    ``variations`` are what it is in an edition, or under a reading, by ``kind`` and name.
    """

    proof: LawProof
    phrase: Phrase | None
    variations: tuple[tuple[str, str, ShownLaw], ...] = ()

    @property
    def law(self) -> Law:
        """The law."""
        return self.proof.law

    @classmethod
    def of(cls, proof: LawProof, variations: Iterable[tuple[str, str, ShownLaw]] = ()) -> ShownLaw:
        """Return what is shown of a law."""
        condition = proof.law.condition
        return cls(proof, None if condition is None else word_law(condition), tuple(variations))


@frozen
class Place:
    """Where a rule runs in an ``order``: its number, from 1, and those beside it; None where it does not run."""

    order: RunOrder
    number: int | None = None
    before: Rule | None = None
    after: Rule | None = None

    @classmethod
    def of(cls, order: RunOrder, rule_id: str) -> Place:
        """Find the place of a rule in the order in which an edition runs its rules."""
        at = next((at for at, each in enumerate(order.rules) if each.id == rule_id), None)
        if at is None:
            return cls(order)
        return cls(order, at + 1, order.rules[at - 1] if at else None, (*order.rules, None)[at + 1])


@frozen(eq=False, slots=False)
class Rulebook:
    """All that a rulebook shows of some rules; ``proofs`` say on how many situations the executors agree.

    ``laws`` are shown of all situations within the bound, of which there are those alone that are ``given``.
    """

    rules: Rules
    documents: tuple[ShownDocument, ...]
    rulesets: Mapping[str, tuple[ShownRule, ...]]
    orders: Mapping[str, tuple[RunOrder, ...]]
    words: Mapping[str, tuple[WordAccount, ...]]
    proofs: tuple[DocumentProof, ...]
    laws: tuple[ShownLaw, ...]
    given: tuple[Law, ...]

    @cached_property
    def by_id(self) -> dict[str, ShownRule]:
        """Every rule by its id."""
        return {each.id: each for listed in self.rulesets.values() for each in listed}

    @property
    def cases(self) -> Iterator[ShownCase]:
        """Every case of every rule."""
        return (case for each in self.by_id.values() for case in each.cases)

    def list_changed(self, kind: VariationKind) -> dict[str, list[tuple[str, str]]]:
        """List by edition, or by reading, the rules that it changes, each with what is otherwise, in a few words."""
        found = dict[str, list[tuple[str, str]]]()
        for each in self.by_id.values():
            if kind == "edition" and each.origin.edition:
                found.setdefault(each.origin.edition, []).append((each.id, "the rule is new"))
            for one in (varied for varied in each.variations if varied.kind == kind):
                name, _, choice = one.name.partition("=")
                since = f", from {one.since} on" if one.since else ""
                said = f"under {choice}{since}: {one.told}" if choice else one.told
                found.setdefault(name, []).append((each.id, said))
        return found

    def list_defaults(self, reading: str) -> list[tuple[str, Reading]]:
        """List a reading as the oldest edition has it, and as each has it that states another default."""
        found = list[tuple[str, Reading]]()
        for name in self.rules.known_editions:
            known = self.rules.in_edition(name).known_readings[reading]
            if not found or known.default != found[-1][1].default:
                found.append((name, known))
        return found

    @cached_property
    def new_defaults(self) -> dict[str, list[str]]:
        """The choices that an edition makes defaults, by edition: ``weight-step=truncated``."""
        found = dict[str, list[str]]()
        for reading in self.rules.known_readings:
            for edition, known in self.list_defaults(reading)[1:]:
                found.setdefault(edition, []).append(f"{reading}={known.default}")
        return found

    @property
    def nameless(self) -> dict[str, list[ShownCase]]:
        """The cases that name no sentence, by rule."""
        found = dict[str, list[ShownCase]]()
        for case in self.cases:
            if not case.clauses:
                found.setdefault(case.rule, []).append(case)
        return found

    def list_places(self, rule_id: str) -> list[Place]:
        """List where a rule runs in each order that there is of its document."""
        listed = self.orders[rule_id.partition(".")[0]]
        return [Place.of(each, rule_id) for each in listed]

    def list_laws(self, rule_id: str) -> list[ShownLaw]:
        """List the laws that are about a rule: they rest on it, it may change places, or they count whom it meets."""
        return [each for each in self.laws if rule_id in (*each.law.rests_on, *each.law.in_any_order, each.law.met_by)]

    def list_laws_of_sentence(self, path: str) -> list[ShownLaw]:
        """List the laws that follow from a sentence, named with its document."""
        return [each for each in self.laws if path in each.law.sentences]

    @property
    def mutants(self) -> Counter[str]:
        """How many mutants became what."""
        return sum((each.counted for each in self.by_id.values()), Counter[str]())


def gather_rulebook(
    rules: Rules,
    paths: Sequence[Path],
    folder: Path | None = None,
    processes: int = 1,
    track: Callable[[Iterable[tuple[MutantResult, ...]]], Iterable[tuple[MutantResult, ...]]] = iter,
) -> Rulebook:
    """Run the cases in ``paths`` and the mutants of their rules, and gather what there is to show.

    The case files come with the project, or are in a ``folder``. Those of rules that are not there are left out.
    ``track`` is given what becomes of the mutants, file by file. Raises CaseError, ReadingError and RuleError.
    """
    known = {get_rule_id(path) for path in rules.files if "/" in path and path.partition("/")[0] in DOCUMENTS}
    of_rules = [path for path in paths if get_rule_id(f"{path.parent.name}/{path.name}") in known]
    results, covered = measure_coverage(rules, of_rules, processes) if of_rules else ((), ())
    mutants = dict[str, tuple[MutantResult, ...]]()
    for found in track(try_mutants(rules, of_rules, processes, 1)):
        mutants |= {found[0].rule: found} if found else {}
    run = _Run(
        rules, folder, _shown_cases(of_rules, results), mutants, {each.rule: each for each in covered}
    )  # fmt: skip
    folders = {each.partition(".")[0] for each in known}
    orders = {name: list_orders(rules, name) for name in DOCUMENTS if name in folders}
    rulesets, names = run.show_rulesets(orders, known), [*orders]
    proofs = [prove_agreement(rules, each, most=MOST_SITUATIONS, processes=processes) for each in names]
    laws = tuple(
        ShownLaw.of(each, _vary_law(rules, each.law.id))
        for each in prove_laws(rules, names, MOST_SITUATIONS, processes)
    )
    return Rulebook(
        rules, run.show_documents(rulesets), rulesets, orders, {each: list_words(rules, each) for each in names},
        tuple(proofs), laws, read_laws(rules, names, given=True),
    )  # fmt: skip


def _vary_law(rules: Rules, law_id: str) -> Iterator[tuple[str, str, ShownLaw]]:
    """What a law is in each edition, and under each reading, for which it states something else."""
    table = rules.toml(LAWS_FILE)[law_id]
    for kind in OVERRIDES:
        for name in table.get(kind, {}):
            read = rules.in_edition(name) if kind == "edition" else rules.under(_choice(name))
            law = next(each for each in read_laws(read, [table["document"]]) if each.id == law_id)
            yield kind, name, ShownLaw.of(prove_law(read, MOST_SITUATIONS, law))


def _shown_cases(paths: Iterable[Path], results: Iterable[CaseResult]) -> dict[str, tuple[ShownCase, ...]]:
    """The cases of each rule, in the order of its file, with what came of them."""
    came = {(each.file, each.name): each for each in results}
    found = defaultdict[str, list[ShownCase]](list)
    for path in paths:
        for case in read_file_cases(path):
            listed = found[case.rule]
            listed.append(_shown_case(len(listed) + 1, case, came[str(case.file), case.name]))
    return {rule: tuple(listed) for rule, listed in found.items()}


def _shown_case(number: int, case: RunnableCase, came: CaseResult) -> ShownCase:
    return ShownCase(
        number, case.rule, came.file, case.name, case.acts, case.edition, case.readings, case.clauses, case.facts,
        case.expect, came.wrong,
    )  # fmt: skip


@frozen(eq=False)
class _Run:
    """What a run has found, by rule."""

    rules: Rules
    folder: Path | None
    cases: Mapping[str, tuple[ShownCase, ...]]
    mutants: Mapping[str, tuple[MutantResult, ...]]
    covered: Mapping[str, RuleCoverage]

    def show_rulesets(
        self, orders: Mapping[str, Sequence[RunOrder]], known: Iterable[str]
    ) -> dict[str, tuple[ShownRule, ...]]:
        """Every rule, by document: in the order in which they run, one that an edition brings behind its forerunner."""
        found = dict[str, tuple[ShownRule, ...]]()
        for name, listed in orders.items():
            every = sorted(each for each in known if each.startswith(f"{name}."))
            found[name] = tuple(map(self.show_rule, dict.fromkeys((*_merge_orders(listed), *every))))
        return found

    def show_rule(self, rule_id: str) -> ShownRule:
        account = describe_rule(self.rules, rule_id, self.folder)
        rule = find_ruleset(self.rules, rule_id).rule(rule_id)
        return ShownRule(
            account, rule, self.rules.files[account.path], describe_action(rule), find_origin(self.rules, account),
            list_variations(self.rules, account), self.cases.get(rule_id, ()), self.mutants.get(rule_id, ()),
            self.covered.get(rule_id),
        )  # fmt: skip

    def show_documents(self, rulesets: Mapping[str, Sequence[ShownRule]]) -> tuple[ShownDocument, ...]:
        """Every file of documents/, in order, with its sentences."""
        by_id = {each.id: each for listed in rulesets.values() for each in listed}
        by_key = {case.key: case for each in by_id.values() for case in each.cases}
        sentences = {
            name: list_sentences(self.rules, name, self.folder) for name in sorted(self.rules.clauses)
        }  # fmt: skip
        shown = []
        for file in read_clause_files(self.rules):
            of_file = (each for each in sentences[file.document] if each.file == file.name)
            shown.append(ShownDocument(file, tuple(_shown_sentence(each, by_id, by_key) for each in of_file)))
        return tuple(shown)


def _merge_orders(orders: Sequence[RunOrder]) -> list[str]:
    """All rules of several orders: those of the first, and each further one behind the rule that runs before it."""
    found = list[str]()
    for order in orders:
        last = -1
        for each in (rule.id for rule in order.rules):
            if each not in found:
                found.insert(last + 1, each)
            last = found.index(each)
    return found


def _choice(reading: str) -> dict[str, str]:
    name, _, choice = reading.partition("=")
    return {name: choice}


def _shown_sentence(
    account: SentenceAccount, by_id: Mapping[str, ShownRule], by_key: Mapping[str, ShownCase]
) -> ShownSentence:
    rules = tuple(by_id[each] for each in account.clause.rules or () if each in by_id)
    return ShownSentence(account, rules, tuple(by_key[each] for each in account.cases if each in by_key))
