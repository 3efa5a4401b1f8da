"""A rule of a document: its clause, its condition, its action, and what its document is about.

A rule maps a set of destinations with their fates to the same set with some fates decided, each with a because.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from string import Formatter
from typing import Any, Literal, NamedTuple

from attrs import asdict, field, frozen

from mqclause.language import nodes
from mqclause.language.parser import expand_terms
from mqclause.language.vocabulary import About, Type, Vocabulary, WordKind
from mqclause.model.diagnostics import MqclauseError, PickledError
from mqclause.model.facts.domains import double_quotes, escape_for_shell, quote_unless_plain

Expression = nodes.Expression
Ties = Literal["first-listed", "last-listed", "all"]
"""Who of several equals it is."""


@frozen
class Eliminate:
    """Destinations ``where`` the condition holds are out for good."""

    where: Expression
    because: MessageTemplate


@frozen
class SetAside:
    """Destinations ``where`` the condition holds are out unless a later rule takes them back."""

    where: Expression
    because: MessageTemplate


@frozen
class TakeBack:
    """Destinations set aside ``where`` the condition holds remain again."""

    where: Expression


@frozen
class Keep:
    """Of the destinations ``among`` the rest, those below the best ``by`` are out; the others are not looked at.

    ``per`` names the attribute that groups compete within. With ``at_most`` that many of the best are kept
    instead of the best alone; ``ties`` says who of several equals at that limit stays: those listed first, or all.
    ``counts`` names the attributes that the limit counts by: destinations alike in all of them are one.
    """

    by: Expression
    best: Literal["highest", "lowest"]
    among: Expression | None
    per: str | None
    at_most: Expression | None
    ties: Ties
    because: MessageTemplate
    counts: tuple[str, ...] = ()


@frozen
class Choose:
    """The choice: destinations ``where`` the condition holds, or those that come first when ordered ``by``.

    Of several the one listed first, or last, is taken: ``ties`` says which, and that one stands first among them. After
    a choice no later rule keeps, eliminates, sets aside, takes back or chooses; after one by condition none derives
    anything of destinations either.
    """

    where: Expression | None
    by: tuple[Expression, ...]
    because: MessageTemplate
    ties: Ties = "first-listed"


@frozen
class OrderBy:
    """Destinations are listed in this order from here on, equals as before: ``by`` has expressions, True: from high."""

    by: tuple[tuple[Expression, bool], ...]


@frozen
class Derive:
    """New facts: about the situation, or new values for the chosen destination or for every destination."""

    of: Literal["situation", "chosen", "every"]
    values: tuple[tuple[str, Expression], ...]


@frozen
class FailWith:
    """The call ends with a reason code (an MQRC name); ``call`` is the MQI call that returns it.

    ``remedy`` is MQSC after which it would not end so, if there is such.
    """

    reason: str
    call: Expression
    because: MessageTemplate
    remedy: MessageTemplate | None = None


@frozen
class Settle:
    """The answer, as facts: the first rule that settles anything settles all, unless a rule before it ended the call.

    The because says why it is so. A fact that the rule does not state stays blank.
    """

    values: tuple[tuple[str, Expression], ...]
    because: MessageTemplate


@frozen
class Condition:
    """Test ``when``; ``because`` explains a failure, and the first of ``remedies`` that applies fixes it.

    A condition that cannot fail where it is examined has no because. A failure is reported only if ``report`` is true
    (None: always), because another condition may already say the same.
    """

    when: Expression
    because: MessageTemplate | None = None
    remedies: tuple[Remedy, ...] = ()
    report: Expression | None = None


@frozen
class Conclude:
    """``fact`` is true if none of the conditions that it ``needs`` (rule ids) fails; those that do not apply do not."""

    fact: str
    needs: tuple[str, ...]


Action = Eliminate | SetAside | TakeBack | Keep | Choose | OrderBy | Derive | Settle | FailWith | Condition | Conclude


TemplateLanguage = Literal["sentence", "mqsc", "shell"]
"""What a text of a rule is: words for a person, commands of MQSC, or a command for a shell."""

WRITERS: Mapping[tuple[TemplateLanguage, bool], Callable[[str], str]] = {
    ("mqsc", True): double_quotes,
    ("mqsc", False): quote_unless_plain,
    ("shell", True): escape_for_shell,
    ("shell", False): shlex.quote,
}
"""How a command writes a value, by its language and whether it stands between quotes."""


class TemplatePart(NamedTuple):
    """A literal part of a text, the word that follows, if one does, and what writes its value (None: as it is)."""

    literal: str
    name: str | None
    write: Callable[[str], str] | None


@frozen(cache_hash=True)
class MessageTemplate:
    """The sentence that explains a fate; ``{word}`` stands for a value. ``text`` is as written in the rule file.

    ``language`` is that of a command, in which a value may not become more than a value.
    """

    text: str
    language: TemplateLanguage = "sentence"

    def parts(self) -> Iterator[TemplatePart]:
        """Return the text in parts, each with the word behind it and how the place of that writes its value.

        Of a sentence that is said where a word stands between quotes, because it may hold a command.
        """
        found, is_quoted = list(Formatter().parse(self.text)), False
        for at, (literal, name, _, _) in enumerate(found):
            is_quoted ^= bool(literal.count("'") % 2)
            if self.language != "sentence":
                yield TemplatePart(literal, name, WRITERS[self.language, is_quoted])
                continue
            following = found[at + 1][0] if at + 1 < len(found) else ""
            between = literal.endswith("'") and following.startswith("'")
            yield TemplatePart(literal, name, WRITERS["mqsc", True] if between else None)

    def names(self) -> Iterator[str]:
        """Return the words in braces, in order."""
        for _, name, _, _ in Formatter().parse(self.text):
            if name is not None:
                yield name

    def find_formatted_word(self) -> str:
        """Find the first word in braces that has a format or a conversion, as it is written; blank if none has."""
        for _, name, form, conversion in Formatter().parse(self.text):
            if form or conversion:
                return (
                    "{" + (name or "") + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "") + "}"
                )
        return ""


@frozen
class Remedy:
    """What would change that a condition fails, ``when`` that is true (None: always).

    ``mqsc`` are MQSC commands, a line each, ``shell`` is a command for a shell, ``advice`` is for a person.
    """

    when: Expression | None = None
    mqsc: MessageTemplate | None = None
    shell: MessageTemplate | None = None
    advice: MessageTemplate | None = None

    @property
    def command(self) -> MessageTemplate | None:
        """What is to be typed, wherever that is."""
        return self.mqsc or self.shell


@frozen
class Notice:
    """What counts as a change between two choices: of subjects ``where`` the condition holds, these ``attributes``.

    Another value of one of them is an alteration; a subject of whom the condition did not hold before is new.
    """

    where: Expression
    attributes: tuple[str, ...]


@frozen
class Example:
    """MQSC in which a rule finds something, and MQSC in which it does not, each of one queue manager or of several."""

    found: str
    clean: str


ABOUT_RULES = frozenset({"id", "clause", "title", "path", "follows", "why", "example"})
"""What rules have that is no part of what they do."""


@frozen(eq=False, repr=False)
class Rule:
    """One rule file. ``id`` is ``workload.04a``, ``clause`` the document's number, ``path`` the file within rules/.

    ``remark`` is a sentence for the reader of an answer in which all that the rule derives is true. ``notices`` say
    what counts as a change since the choice before. Where its condition does not hold there is a finding of
    that ``severity``, or of the first of the ``graver`` ones whose condition holds, about that ``attribute`` of MQSC,
    which may be a word in braces; ``misplaced`` are attributes, by type of object, that MQSC does not have there and
    that are read for the rule to find them; with ``together`` what is found alike of several objects is told once, for
    all of one ``queue_manager``; ``follows`` is the clause, ``administration/4``, that asks for it, ``why``
    says what is gained, and ``example`` shows it.
    """

    id: str
    clause: str
    title: str
    path: str
    when: Expression | None
    action: Action
    remark: str = ""
    notices: tuple[Notice, ...] = ()
    severity: str = ""
    graver: tuple[tuple[str, Expression], ...] = ()
    attribute: str = ""
    misplaced: Mapping[str, frozenset[str]] = field(factory=dict)
    together: str = ""
    follows: str = ""
    why: str = ""
    example: Example | None = None

    def __repr__(self) -> str:
        return f"<Rule {self.id}: {self.title}>"

    @property
    def severities(self) -> tuple[str, ...]:
        """Those that a finding of it may have, the gravest first."""
        return (*(name for name, _ in self.graver), self.severity)

    @property
    def because(self) -> MessageTemplate | None:
        """The explanation of the fates that this rule decides, if it decides any."""
        return getattr(self.action, "because", None)

    def describe_effect(self, vocabulary: Vocabulary, with_texts: bool) -> dict[str, Any]:
        """Describe what it does, where terms are what they stand for; with what it says, or without."""
        left_out = ABOUT_RULES if with_texts else ABOUT_RULES | {"remark"}
        found = asdict(
            self,
            filter=lambda of, value: of.name not in left_out and (with_texts or not isinstance(value, MessageTemplate)),
            value_serializer=lambda _, __, of: expand_terms(of, vocabulary).sql() if isinstance(of, Expression) else of,
        )
        return {"kind": type(self.action).__name__, **found}


@frozen(eq=False)
class Ruleset:
    """The rules of one document in the document's order, as one edition and one set of readings have them.

    Editions and readings that change none of its rules share one ruleset. ``sees`` are the facts that it sees of the
    document before it, as expressions in that one's words.
    """

    about: Declaration
    rules: tuple[Rule, ...]
    vocabulary: Vocabulary
    sees: Mapping[str, Expression] = field(factory=dict)

    @property
    def name(self) -> str:
        """The folder of the rules."""
        return self.about.name

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What its rules count as a change since the choice before."""
        return tuple(notice for rule in self.rules for notice in rule.notices)

    @cached_property
    def _remarking(self) -> tuple[tuple[Rule, tuple[str, ...]], ...]:
        rules = [(rule, rule.action) for rule in self.rules if rule.remark]
        return tuple(
            (rule, tuple(name for name, _ in action.values)) for rule, action in rules if isinstance(action, Derive)
        )

    def find_remarking_rules(self, facts: Mapping[str, Any]) -> list[Rule]:
        """Find the rules that have something to say to the reader of an answer: all that they derive is true."""
        return [rule for rule, names in self._remarking if facts[names[0]] and all(map(facts.__getitem__, names))]

    def rule(self, rule_id: str) -> Rule:
        """Return the rule with that id. Raises KeyError."""
        for rule in self.rules:
            if rule.id == rule_id:
                return rule
        raise KeyError(rule_id)


@frozen
class CarriedState:
    """What a choice carries from one situation to the next: attributes of a subject that rules may derive anew.

    ``start`` is a named tuple, the values of a subject that was never chosen; its fields are the attributes. ``key``
    is the attribute of a subject that says whose values they are: several subjects may share them.
    """

    key: str
    start: Any

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes, in the order of the tuple."""
        return tuple(self.start._fields)

    def of(self, values: Mapping[Any, Any]) -> Callable[[Any, str], Any]:
        """Return the value of an attribute of a subject, by what ``values`` holds for its key."""
        return lambda subject, name: getattr(values.get(getattr(subject, self.key), self.start), name)


@frozen
class RowNames:
    """The columns of a table of this document: a struct, a list of structs, and the struct that is the answer."""

    situation: str = "situation"
    subjects: str = "subjects"
    answer: str = "answer"


def identify_rule(rule: Rule | None) -> tuple[str, str] | None:
    """Return the id and the clause of a rule, by which answers tell rules apart."""
    return None if rule is None else (rule.id, rule.clause)


@frozen(eq=False)
class Declaration:
    """What the rules of one document look at and decide on. ``name`` is the folder of its rules.

    ``situation`` is the class of what they see besides their subjects, ``subject`` that of what they choose from (None:
    nothing). A document that ``follows`` another runs after it on the same situation and subjects, and ``sees`` what
    that one left: facts by name, as expressions over what remained there, or one that it derives, where it does.
    ``row`` names the columns of its tables.
    ``asks`` are the facts that answers are made of, each with what it can be: some rule has to derive each, and where
    any are asked for, rules settle no others. Of a fact that is one of a list of words blank is none and allowed.
    ``terms`` are those that are asked before any rule runs, of which kind they are, and what they speak of alone. One
    that is named as an attribute of the subject is asked once, and rules see what it said; such terms look at what the
    class ``stated`` has, from which that of the subject is made. A class may be given as ``module:Class``: it is loaded
    when it is asked for.
    """

    name: str
    _situation: type | str = field(alias="situation")
    _subject: type | str | None = field(default=None, alias="subject")
    carried: CarriedState | None = None
    follows: Declaration | None = None
    sees: Mapping[str, str] = field(factory=dict)
    row: RowNames = RowNames()
    asks: Mapping[str, Type] = field(factory=dict)
    terms: Mapping[str, tuple[WordKind, About]] = field(factory=dict)
    _stated: type | str | None = field(default=None, alias="stated")

    @cached_property
    def situation(self) -> type:
        """The class of what the rules see besides their subjects."""
        return _load_class(self._situation)

    @cached_property
    def subject(self) -> type | None:
        """The class of what the rules choose from; None: of nothing."""
        return None if self._subject is None else _load_class(self._subject)

    @cached_property
    def stated(self) -> type | None:
        """The class of what terms see that are asked before any rule runs; None: that of the subject."""
        return None if self._stated is None else _load_class(self._stated)

    @property
    def course(self) -> tuple[Declaration, ...]:
        """The documents that run one after the other, this one last."""
        return (*(self.follows.course if self.follows else ()), self)


def _load_class(given: type | str) -> type:
    if isinstance(given, type):
        return given
    module, _, name = given.partition(":")
    found: type = getattr(import_module(module), name)
    return found


class RuleError(PickledError):
    """A rule file that cannot be used: its path within rules/, the key, and what is wrong with it.

    ``others`` are faults of the same file, of other keys: all of them are told, a line each.
    """

    def __init__(self, path: str, key: str, message: str, others: Iterable[RuleError] = ()) -> None:
        self.path, self.key, self.message, self.others = path, key, message, tuple(others)
        own = f"rules/{path}: {key}: {message}" if key else f"rules/{path}: {message}"
        super().__init__("\n".join([own, *map(str, self.others)]))


class UnansweredError(RuleError):
    """What rules of one's own leave without an answer: those that come with the project answer everything."""


class ReadingError(MqclauseError, ValueError):
    """A reading, a choice, an edition or a rule that the rules do not have."""
