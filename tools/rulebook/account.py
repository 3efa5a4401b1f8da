"""Gather what a rulebook shows: sentences, rules, cases, mutants and words, and a run that is made for it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from attrs import frozen

from mqclause.audit.case_run import CaseResult, read_file_cases
from mqclause.audit.coverage import RuleCoverage, measure_coverage
from mqclause.audit.laws import Law, LawProof, prove_law, prove_laws, read_laws
from mqclause.audit.mutation import MutantResult, try_mutants
from mqclause.audit.proof import DocumentProof, prove_agreement
from mqclause.audit.sentences import RuleAccount, SentenceAccount, describe_rule, find_ruleset, list_sentences
from mqclause.audit.words import WordAccount, list_words
from mqclause.documents import DOCUMENTS
from mqclause.rulebook.clauses import ClauseFile, read_clause_files
from mqclause.rulebook.loader import OVERRIDES
from mqclause.rulebook.rule import Declaration, ReadingError, Rule
from mqclause.rulebook.rules import LAWS_FILE, Rules, get_rule_id
from mqclause.testing.case_kinds import RunnableCase
from mqclause.tools.rulebook.wording import Phrase, Saying, describe_action, word_law

MOST_SITUATIONS = 500
"""So many situations are tried of one rule."""


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
    def key(self) -> str:
        """What sentences call it."""
        return f"{self.file}: {self.name}"


@frozen
class Variation:
    """What a rule says in an ``edition``, or under a reading (``id=choice``), where that is something else.

    ``is_there`` is false where it has no such rule; ``instead`` are the rules of its clause that came with the edition.
    """

    kind: str
    name: str
    sayings: tuple[Saying, ...]
    is_there: bool = True
    instead: tuple[str, ...] = ()


@frozen(eq=False)
class ShownRule:
    """A rule: what audits tell of it, its text, what it says in words, its cases and its mutants."""

    account: RuleAccount
    rule: Rule
    text: str
    sayings: tuple[Saying, ...]
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
    def failed(self) -> int:
        """How many of its cases came out otherwise."""
        return sum(bool(each.wrong) for each in self.cases)

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


@frozen(eq=False, slots=False)
class Rulebook:
    """All that a rulebook shows of some rules; ``proofs`` say on how many situations the executors agree.

    ``laws`` are shown of all situations within the bound, of which there are those alone that are ``given``.
    """

    rules: Rules
    documents: tuple[ShownDocument, ...]
    rulesets: Mapping[str, tuple[ShownRule, ...]]
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

    def list_changed(self, kind: Literal["edition", "reading"]) -> dict[str, list[str]]:
        """List by edition, or by reading, the rules that it changes."""
        found = dict[str, list[str]]()
        for each in self.by_id.values():
            named = each.account.editions if kind == "edition" else each.account.readings
            for name in dict.fromkeys(name.partition("=")[0] for name in named):
                found.setdefault(name, []).append(each.id)
        return found

    def tell_change(self, edition: str, rule_id: str) -> str:
        """Tell whether a rule is new in an edition or gone; blank if it was there and is."""
        editions, about = self.rules.known_editions, DOCUMENTS[rule_id.partition(".")[0]]
        at = editions.index(edition)
        was, now = (
            any(each.id == rule_id for each in self.rules.in_edition(name).ruleset(about).rules)
            for name in (editions[max(at - 1, 0)], edition)
        )
        return "" if was and now else "new" if now else "gone"

    def find_first_edition(self, rule_id: str) -> str:
        """Find the edition that a rule came with; blank if it was there from the beginning."""
        named = self.by_id[rule_id].account.editions
        return next((each for each in named if self.tell_change(each, rule_id) == "new"), "")

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
    after_file: Callable[[], None] = lambda: None,
) -> Rulebook:
    """Run the cases in ``paths`` and the mutants of their rules, and gather what there is to show.

    The case files come with the project, or are in a ``folder``. Those of rules that are not there are left out.
    ``after_file`` is called whenever the mutants of a file were tried. Raises CaseError, ReadingError and RuleError.
    """
    known = {get_rule_id(path) for path in rules.files if _is_rule(path)}
    of_rules = [path for path in paths if get_rule_id(f"{path.parent.name}/{path.name}") in known]
    results, covered = measure_coverage(rules, of_rules, processes) if of_rules else ((), ())
    mutants = dict[str, tuple[MutantResult, ...]]()
    for found in try_mutants(rules, of_rules, processes, 1):
        mutants |= {found[0].rule: found} if found else {}
        after_file()
    run = _Run(
        rules, folder, _shown_cases(of_rules, results), mutants, {each.rule: each for each in covered}
    )  # fmt: skip
    rulesets = run.show_rulesets(known)
    names = [name for name in DOCUMENTS if name in rulesets]
    proofs = [prove_agreement(rules, each, most=MOST_SITUATIONS, processes=processes) for each in names]
    laws = tuple(
        ShownLaw.of(each, _vary_law(rules, each.law.id))
        for each in prove_laws(rules, names, MOST_SITUATIONS, processes)
    )
    return Rulebook(
        rules, run.show_documents(rulesets), rulesets, {each: list_words(rules, each) for each in names}, tuple(proofs),
        laws, read_laws(rules, names, given=True),
    )  # fmt: skip


def _vary_law(rules: Rules, law_id: str) -> Iterator[tuple[str, str, ShownLaw]]:
    """What a law is in each edition, and under each reading, for which it states something else."""
    table = rules.toml(LAWS_FILE)[law_id]
    for kind in OVERRIDES:
        for name in table.get(kind, {}):
            read = rules.in_edition(name) if kind == "edition" else rules.under(_choice(name))
            law = next(each for each in read_laws(read, [table["document"]]) if each.id == law_id)
            yield kind, name, ShownLaw.of(prove_law(read, MOST_SITUATIONS, law))


def _is_rule(path: str) -> bool:
    return path.partition("/")[0] in DOCUMENTS and "/" in path


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

    def show_rulesets(self, known: Iterable[str]) -> dict[str, tuple[ShownRule, ...]]:
        """Every rule, by document, in the order in which they run."""
        found = defaultdict[str, list[ShownRule]](list)
        for rule_id in sorted(known):
            found[rule_id.partition(".")[0]].append(self.show_rule(rule_id))
        in_order = (name for name in DOCUMENTS if name in found)
        return {name: tuple(sorted(found[name], key=lambda each: (each.account.place, each.id))) for name in in_order}

    def show_rule(self, rule_id: str) -> ShownRule:
        account = describe_rule(self.rules, rule_id, self.folder)
        rule = find_ruleset(self.rules, rule_id).rule(rule_id)
        sayings = describe_action(rule)
        return ShownRule(
            account, rule, self.rules.files[account.path], sayings, tuple(self._variations(account, sayings)),
            self.cases.get(rule_id, ()), self.mutants.get(rule_id, ()), self.covered.get(rule_id),
        )  # fmt: skip

    def _variations(self, account: RuleAccount, sayings: tuple[Saying, ...]) -> Iterator[Variation]:
        """Where a rule says something else; where only its terms do, the page of words has it."""
        about = DOCUMENTS[account.id.partition(".")[0]]
        named = [("edition", each) for each in account.editions] + [("reading", each) for each in account.readings]
        for kind, name in named:
            try:
                read = self.rules.in_edition(name) if kind == "edition" else self.rules.under(_choice(name))
            except ReadingError:  # a choice of other editions
                continue
            rules = [each for each in read.ruleset(about).rules if each.id == account.id]
            said = describe_action(rules[0]) if rules else ()
            if said != sayings:
                came = _list_new_rules(self.rules, about, name) if kind == "edition" and not rules else ()
                yield Variation(kind, name, said, bool(rules), tuple(
                    each.id for each in came if each.clause == account.clause
                ))  # fmt: skip

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


def _list_new_rules(rules: Rules, about: Declaration, edition: str) -> list[Rule]:
    """The rules of a document that an edition has and the one before it has not."""
    at = rules.known_editions.index(edition)
    before = {each.id for each in rules.in_edition(rules.known_editions[at - 1]).ruleset(about).rules} if at else set()
    return [each for each in rules.in_edition(edition).ruleset(about).rules if each.id not in before]


def _choice(reading: str) -> dict[str, str]:
    name, _, choice = reading.partition("=")
    return {name: choice}


def _shown_sentence(
    account: SentenceAccount, by_id: Mapping[str, ShownRule], by_key: Mapping[str, ShownCase]
) -> ShownSentence:
    rules = tuple(by_id[each] for each in account.clause.rules or () if each in by_id)
    return ShownSentence(account, rules, tuple(by_key[each] for each in account.cases if each in by_key))
