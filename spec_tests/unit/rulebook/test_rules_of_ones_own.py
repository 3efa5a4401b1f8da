"""A folder of rules that somebody edits: where a rule stands is what it says, and nothing in the folder is lost."""

from __future__ import annotations

import re

import pytest

from mqclause import (
    Channel,
    Cluster,
    Engine,
    Put,
    Queue,
    QueueManager,
    RemoteQueueManager,
    Retrieval,
    RuleError,
    Rules,
    next_get,
)
from mqclause.answers import NOBODY_LEFT
from mqclause.documents import ADMINISTRATION, CHECK, DOCUMENTS, OUTCOME, RESOLUTION, RETRIEVAL, WORKLOAD
from mqclause.model.facts.messages import Message
from mqclause.rulebook.clauses import find_unstated_clauses, read_clause_files
from mqclause.rulebook.rule import Declaration, UnansweredError
from mqclause.workload.decision import LEVELS
from spec_tests.support.product import ROOT

RULES = Rules()
FILES = RULES.files
SIXTH, SEVENTH = "workload/06_inactive_or_running.toml", "workload/07_becoming_active.toml"
OTHER = 'clause = "workload/6"\ntitle = "T"\n[eliminate]\nwhere = "is_local"\nbecause = "it is here"\n'


def numbers(**files: str) -> list[str]:
    """The numbers of the workload rules 06 to 08 as they run, with further ones of those files: what moves each."""
    more = {f"workload/{name.lstrip('_')}_further.toml": f"{moved}\n{OTHER}" for name, moved in files.items()}
    rules = RULES.with_files(more).ruleset(WORKLOAD).rules
    found = [rule.id.partition(".")[2] for rule in rules]
    return [each for each in found if each in ("06", "07", "08") or f"workload/{each}_further.toml" in more]


def fault(files: dict[str, str | None], about: Declaration = WORKLOAD) -> str:
    """The line that tells what is wrong with the rules when these files are others."""
    with pytest.raises(RuleError) as caught:
        RULES.with_files(files).ruleset(about)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_rule_runs_beside_the_one_that_it_names_wherever_that_one_stands() -> None:
    """12f stands after 06, and 13 names it, not the place that 12f would have by its number."""
    after, before = 'after = "workload.06"', 'before = "workload.06"'
    assert numbers(_12f=after) == ["06", "12f", "07", "08"]
    assert numbers(_12f=after, _13='after = "workload.12f"') == ["06", "12f", "13", "07", "08"]
    assert numbers(_12f=after, _13='before = "workload.12f"') == ["06", "13", "12f", "07", "08"]
    assert numbers(_12f=before, _13='after = "workload.12f"') == ["12f", "13", "06", "07", "08"]
    assert numbers(_13=after, _12f='after = "workload.13"', _14='before = "workload.12f"') == [
        "06", "13", "14", "12f", "07", "08",
    ]  # fmt: skip


def test_rules_that_are_moved_in_a_circle() -> None:
    itself = fault({SIXTH: f'after = "workload.06"\n{FILES[SIXTH]}'})
    assert itself == f"rules/{SIXTH}: after: 'workload.06' is moved beside this rule itself"
    two = {SIXTH: f'after = "workload.07"\n{FILES[SIXTH]}', SEVENTH: f'before = "workload.06"\n{FILES[SEVENTH]}'}
    assert fault(dict(two)).endswith("is moved beside this rule itself")


def test_two_rules_of_one_number() -> None:
    told = fault({"workload/06_once_more.toml": OTHER})
    assert told == (
        "rules/workload/06_once_more.toml: has the number of 06_inactive_or_running.toml; a rule has one of its own, like 06b"
    )


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("workload/old/06_inactive_or_running.toml", "is in a folder of its own; allowed: files in rules/workload/ itself"),
        ("06_other.toml", "is in no folder of rules; beside those there are editions.toml, laws.toml, lint.toml, readings.toml, terms.toml"),
    ],
)  # fmt: skip
def test_a_rule_where_none_is_looked_for(path: str, said: str) -> None:
    """A copy that is kept aside is neither taken in the place of the rule nor passed by."""
    assert fault({path: OTHER}) == f"rules/{path}: {said}"


TERM = "[workload.names_queue]\n"
READING = "[weight-step]\n"
CHOICES = 'choices  = ["exact", "truncated"]'


@pytest.mark.parametrize(
    ("path", "before", "now", "said"),
    [
        ("terms.toml", TERM, f"{TERM}if = 'x'\n", "workload.names_queue.if: is not known; allowed: is, means, edition, reading"),
        ("terms.toml", TERM, "[workload.names_queue]\nis = 5\n[workload.other]\n", "workload.names_queue.is: 5 is not text"),
        ("terms.toml", TERM, f"[workload]\nx = 5\n{TERM}", "workload.x: 5 is not a table, like [workload.x]"),
        ("terms.toml", TERM, f"[workload.queue_rank]\nis = '0'\n{TERM}", "workload.queue_rank: is a word already; a term has a name of its own"),
        ("terms.toml", TERM, f"[workload.x]\nis = '0'\n[workload.x.reading.'weight-step=exact']\nwas = '1'\n{TERM}",
         "workload.x.reading.weight-step=exact.was: is not known; allowed: is, means, edition, reading"),
        ("readings.toml", READING, f"x = 5\n{READING}", "manual-cluster-senders.x: is not known; allowed: clauses, "),
        ("readings.toml", CHOICES, 'choices = "exact"', "weight-step.choices: 'exact' is not a list of texts"),
        ("readings.toml", CHOICES, "choices = [1, 2]", "weight-step.choices: [1, 2] is not a list of texts"),
        ("readings.toml", CHOICES, 'choices = ["exact", "truncated", "exact"]', "weight-step.choices: 'exact' is there twice"),
        ("editions.toml", "[wmq-6]\n", "wmq-6 = 5\n[x]\n", "wmq-6: 5 is not a table, like [wmq-6]"),
        ("readings.toml", "said_by  = {local-first", "said_by  = {local-frist",
         "rank-or-local.said_by.local-frist: is no text about a choice"),
        ("readings.toml", "said_by  = {local-first = ", "said_by  = 5 # ", "rank-or-local.said_by: 5 is not a table"),
        ("editions.toml", "command_level = 600", 'command_level = "600"', "wmq-6.command_level: '600' is not a whole number"),
    ],
)  # fmt: skip
def test_what_is_wrong_beside_the_rules_is_one_line(path: str, before: str, now: str, said: str) -> None:
    assert FILES[path].count(before) >= 1
    assert said in fault({path: FILES[path].replace(before, now, 1)})


def test_a_finding_has_a_sentence_and_a_condition() -> None:
    path = "check/14_batch_heartbeats_are_sent.toml"
    lines = FILES[path].splitlines(keepends=True)
    blank = "".join(each for each in lines if not each.startswith("because"))
    derived = "".join(lines[: lines.index("[holds]\n")]) + '[derive]\nbeats = "batchhb"\n'
    example = "".join(lines[lines.index("[example]\n") :])
    told = [
        fault({path: text}, CHECK)
        for text in (blank, f"{derived}\n{example}")
    ]  # fmt: skip
    assert told == [
        f"rules/{path}: holds.because: is missing",
        f"rules/{path}: severity: is said of a condition, and the rule has none: no [holds]",
    ]


def test_what_answers_are_made_of_is_derived() -> None:
    """Every fact that the product asks for by its name is declared, and a folder without a rule for it is told."""
    asked = {fact for each in DOCUMENTS.values() for fact in each.asks}
    named = re.compile(r'\bfacts\["([a-z_]+)"\]')
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "engine" / "answers").rglob("*.py")]
    assert {fact for text in texts for fact in named.findall(text)} <= asked
    told = fault({"retrieval/4.4_group_status.toml": None}, RETRIEVAL)
    assert told == "rules/retrieval/: group_status: is derived by no rule, and answers are made of it"


@pytest.mark.parametrize(
    ("term", "now", "said"),
    [
        ("workload.lends", None, "is missing, and answers are made of it"),
        ("workload.kept_queue", "TRUE", "is true or false; answers need a text"),
        ("workload.lends", "mqi_call = 'MQPUT'",
         "looks at 'mqi_call'; it is asked before any rule runs, of attributes of the destination"),
        ("workload.kept_queue", "CASE WHEN balanced THEN '' ELSE put_queue END",
         "looks at 'balanced'; it is asked before any rule runs, of attributes of the situation"),
        ("workload.own_alias", "COUNT_IF(is_alias) > 0", "counts; it is asked before any rule runs, of one alone"),
    ],
)  # fmt: skip
def test_a_term_that_answers_are_made_of_is_there(term: str, now: str | None, said: str) -> None:
    """Such a term is asked of each put and destination before the rules, which it may have nothing of."""
    document, _, name = term.partition(".")
    head, table, tail = FILES["terms.toml"].partition(f"[{term}]\n")
    after = tail[tail.index("\n[") :]
    stated = "" if now is None else f'{table}is = "{now}"\nmeans = "m"\n'
    # The other readings of the term go with it.
    after = re.sub(rf"(?s)\n\[{term}\.reading.*?\n(?=\n|\[)", "\n", after)
    told = fault({"terms.toml": head + stated + after}, DOCUMENTS[document])
    assert told == f"rules/terms.toml: {document}.{name}: {said}"


@pytest.mark.parametrize(
    ("path", "word", "now", "about", "key", "near"),
    [
        ("administration/01a_suspended.toml", "'SUSPENDED'", "'SUSPENDD'", ADMINISTRATION, "becomes", "SUSPENDED"),
        ("administration/05e_bound_waits.toml", "'waits'", "CASE WHEN bound THEN ('wait') ELSE 'sent' END", ADMINISTRATION,
         "becomes", "waits"),
        ("administration/05a_routes_retry.toml", "'RETRYING'", "'retrying'", ADMINISTRATION, "becomes", "RETRYING"),
        ("resolution/11_cluster_queue.toml", "'queue'", "'queues'", RESOLUTION, "ends", "queue"),
    ],
)  # fmt: skip
def test_a_word_that_no_answer_has(path: str, word: str, now: str, about: Declaration, key: str, near: str) -> None:
    """Nothing would come of it, and nobody would be told; any word that can be an answer is one, as is none."""
    assert FILES[path].count(word) == 1
    told = fault({path: FILES[path].replace(word, now)}, about)
    assert told.startswith(f"rules/{path}: settle.{key}: '")
    assert " is never a value here; allowed: " in told
    assert told.endswith(f"; did you mean {near!r}?")
    for other in ("", near):
        assert RULES.with_files({path: FILES[path].replace(word, f"'{other}'")}).ruleset(about)


def test_what_destinations_keep_is_asked_of_every_put() -> None:
    """A term that turns on the binding: of two puts in one cluster that differ in it alone one keeps its queue."""
    kept = "CASE WHEN put_queue_manager = '' THEN '' ELSE put_queue END"
    by_binding = FILES["terms.toml"].replace(kept, "CASE WHEN bind = 'OPEN' THEN '' ELSE put_queue END")
    engine = Engine(RULES.with_files({"terms.toml": by_binding}))
    hosts, channels = (RemoteQueueManager("QM2", ("SALES",)),), (Channel("TO.QM2", "QM2", "SALES"),)
    cluster = Cluster(QueueManager("QM1", clusters=("SALES",)), hosts, channels=channels)
    chosen = [engine.choose(Put("Q", "QM2", bind=bind), cluster).chosen for bind in ("OPEN", "NOTFIXED", "OPEN")]
    assert [each and each.queue for each in chosen] == ["", "Q", ""]


def test_a_remark_on_a_choice_says_what_its_rule_saw() -> None:
    """At the note two destinations are left; a word in braces stands for its value at every level."""
    path = "workload/note_distribution.toml"
    said = re.sub("remark = .*", 'remark = "{{{put_queue}}}: {remaining} balanced"', FILES[path])
    hosts = tuple(RemoteQueueManager(each, ("S",)) for each in ("QM2", "QM3", "QM4"))
    queues = tuple(Queue("Q", each.name, clusters=("S",), clwlprty=0 if each.name == "QM4" else 1) for each in hosts)
    routes = tuple(Channel(f"TO.{each.name}", each.name, "S") for each in hosts)
    cluster = Cluster(QueueManager("QM1", clusters=("S",)), hosts, queues, channels=routes)
    # QM4 falls by 11b.
    engine = Engine(RULES.with_files({path: said}))
    assert {engine.choose(Put("Q"), cluster, explain=level).remarks for level in LEVELS} == {("{Q}: 2 balanced",)}


def test_what_is_told_of_a_get_has_the_values_of_the_call() -> None:
    """A remark, and the reason of a call that fails, likewise; also of what rules have derived."""
    remark, reason = "retrieval/3.5_the_same_group_again.toml", "retrieval/2033a_no_msg_available.toml"
    always = 'clause = "retrieval/3.5"\ntitle = "T"\nafter = "retrieval.7.6"\nwhen = "mqi_call = \'MQGET\'"\n'
    retrieval = Retrieval(
        RULES.with_files({
            remark: f'{always}remark = "{{mqi_call}}, anew: {{starts_anew}}"\n[derive]\nbrowsed_again = "TRUE"\n',
            reason: re.sub('because = .*', 'because = "anew: {starts_anew}"', FILES[reason]),
        })
    )  # fmt: skip
    cluster, lying = Cluster(QueueManager("QM1"), queues=(Queue("Q", "QM1"),)), [Message("A", "Q")]
    got = next_get(retrieval, cluster, lying, "Q", ("BROWSE_FIRST",))
    assert got.remarks == ("MQGET, anew: yes",)
    assert next_get(retrieval, cluster, [], "Q", ("BROWSE_FIRST",)).because == "anew: yes"


def test_rules_that_leave_nobody_and_end_no_call() -> None:
    """Without the rule of 2085 nothing says what becomes of a put to a queue that no channel leads to."""
    rules = RULES.with_files({"outcome/2085_unknown_object_name.toml": None})
    hosts, queues = (RemoteQueueManager("QM2"),), (Queue("Q", "QM2", clusters=("S",)),)
    cluster = Cluster(QueueManager("QM1", clusters=("S",)), hosts, queues)
    with pytest.raises(UnansweredError) as caught:
        str(Engine(rules).choose(Put("Q"), cluster))
    assert str(caught.value) == f"rules/outcome/: {NOBODY_LEFT}"


@pytest.mark.parametrize("call", ["call = MQOPEN", "SHOW MQOPEN"])
def test_a_statement_in_place_of_an_expression_is_told_in_our_line_alone(
    call: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = "outcome/2085_unknown_object_name.toml"
    text = re.sub("(?m)^call .*$", f'call = "{call}"', FILES[path])
    found = fault({path: text}, OUTCOME)
    assert found.startswith(f"rules/{path}: fail_with.call: ")
    assert "is not allowed here; allowed: AND, OR" in found
    assert not caplog.records


def test_a_rule_of_another_clause_than_names_it() -> None:
    """Who adds a rule of their own says so in the document's file; what is missing there is told beside the counts."""
    moved = RULES.with_files({SIXTH: FILES[SIXTH].replace("workload/6", "workload/7")})
    assert [*find_unstated_clauses(RULES, "workload")] == []
    assert [*find_unstated_clauses(moved, "workload")] == [
        "workload.06: no sentence of workload/7 names it, which it says that it states"
    ]
    further = RULES.with_files({"workload/99_own.toml": OTHER})
    assert [*find_unstated_clauses(further, "workload")] == ["workload.99: no clause of workload is stated by it"]
    with pytest.raises(RuleError, match="^rules/documents/own.toml: document: is missing"):
        read_clause_files(RULES.with_files({"documents/own.toml": "title = 'T'"}))


@pytest.mark.parametrize(
    ("leads", "told"),
    [
        ("ends = \"'queue manager'\"", "leads to a queue manager, and none is named"),
        ("ends = \"'again'\"\nobject = 'queue'\nnext_queue = 'queue'", "leads where it has led before"),
    ],
)
def test_a_rule_that_leads_nowhere_is_told(leads: str, told: str) -> None:
    rule = f"clause = 'resolution/4'\ntitle = 'T'\nwhen = \"queue = 'NOWHERE'\"\n[settle]\n{leads}\nbecause = 'so'\n"
    engine = Engine(RULES.with_files({"resolution/00_own.toml": rule}))
    with pytest.raises(RuleError) as caught:
        engine.choose(Put("NOWHERE"), Cluster(QueueManager("QM1", ("S",))))
    assert str(caught.value) == f"rules/resolution/00_own.toml: settle: {told}"
