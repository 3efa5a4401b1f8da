"""Folders of rules by a stranger: whatever stands in them, nothing of it runs, and all ends soon, in an answer or a line."""

from __future__ import annotations

import json
import random
import resource
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from threading import get_ident
from types import CodeType
from typing import Any

import pytest

from mqclause import Engine, Put, RuleError, Rules, Why, read_document
from mqclause.documents import DOCUMENTS
from mqclause.duckdb import show_sql
from mqclause.language.vocabulary import NAME
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.rulebook.rule import ReadingError, UnansweredError
from mqclause.tables.query import UnknownRuleError
from spec_tests.support.deep import asked as number_asked
from spec_tests.support.deep import first

TOKEN = "kanarie"
"""It stands in each hostile text: where it is in a source that is compiled, a text has become code."""

FACTS: dict[str, Any] = {
    "queue_manager": {"name": "QM1", "clusters": ["BOOKS"]},
    "remote_queue_manager": [{"name": name, "clusters": ["BOOKS"]} for name in ("QM2", "QM3")],
    "queue": [
        {"name": "LEDGER", "queue_manager": "QM2", "clusters": ["BOOKS"]},
        {"name": "LEDGER", "queue_manager": "QM3", "clusters": ["BOOKS"], "clwlrank": 3},
        {"name": "OWN", "trigger": True, "initq": "START", "process": "WRITE"},
    ],
    "channel": [{"name": f"TO.{name}", "queue_manager": name, "cluster": "BOOKS"} for name in ("QM2", "QM3")],
}

CODE = (
    "{0}[__import__('os').system('touch {0}')]", "{0} = open('{0}', 'w')", "{0}; import os", "().__class__.__base__.{0}",
    "{0}' or open('{0}', 'w') or '", '{0}" + open("{0}", "w") + "', "{0}\nopen('{0}', 'w')", "lambda: {0}", "{{{0}.__class__}}",
    "{{{0}!r:>99999999}}", "%({0})s%n%99999999d", "1); COPY (SELECT 1) TO '{0}'; --", "{0}' UNION SELECT 1 --", "`{0}`", "${{{0}}}",
    "{0}\u001b]52;c;eA==\u0007", "{0}\u202e", "{0}\u0000", "../{0}", "/etc/{0}", "{0}\\N{{DIGIT ONE}}", "\\x27{0}", "#{0}", "'''{0}", '"""{0}',
)  # fmt: skip
"""Texts that are code in one language or another."""

CONDITIONS = (
    "{0} = 1", "weight = '{0}'", "COUNT_IF(COUNT_IF({0}))", "(SELECT {0})", "CAST({0} AS INT) = 1", "EXISTS (SELECT 1)", "{0}(1) = 1", "a.{0} = 1",
    "'{0}' LIKE '%'", "CASE WHEN TRUE THEN '{0}' ELSE 1 END = 1", "1 / 0 > 1", "'{0}' IN ('{0}', 1)", "FLOOR('{0}') = 1", "NOT NOT '{0}'", "$1 = '{0}'",
)  # fmt: skip


class Watch:
    """What Python does while it is watched: nothing is to be written, started, connected or compiled that has TOKEN."""

    FORBIDDEN = ("os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "socket.connect", "os.remove",
                 "os.rename", "os.mkdir", "os.link", "os.symlink", "os.truncate", "shutil.rmtree", "ctypes.dlopen")  # fmt: skip

    def __init__(self) -> None:
        # What other threads do, as those of a session of Spark, is not of the rules.
        self.on, self.seen, self.thread = False, list[str](), get_ident()
        sys.addaudithook(self.hook)

    def hook(self, event: str, given: tuple[Any, ...]) -> None:
        if not self.on or get_ident() != self.thread:
            return
        if event in self.FORBIDDEN or (event == "open" and isinstance(given[1], str) and given[1].strip("rbtU")):
            self.seen.append(f"{event} {given[:2]}")
        if event == "compile" and TOKEN in str(given[0]):
            self.seen.append(f"compile {given[0]!s:.200}")
        if event == "exec" and TOKEN in " ".join(names_in(given[0])):
            self.seen.append(f"exec {given[0]}")


def names_in(code: CodeType) -> Iterator[str]:
    """The names that code uses; its constants are data."""
    yield from (*code.co_names, *code.co_varnames, code.co_name, code.co_filename)
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from names_in(each)


@pytest.fixture(scope="module")
def watch() -> Watch:
    return Watch()


def text(rng: random.Random) -> str:
    """Something hostile."""
    kind = rng.randrange(6)
    if kind == 0:
        return TOKEN * rng.choice((1, 30, 3000))
    if kind == 1:
        return rng.choice(CONDITIONS).format(TOKEN)
    if kind == 2:
        return rng.choice((" AND ", " OR ", " + ", ", ")).join(["TRUE"] * rng.choice((2, 70, 4000)))
    if kind == 3:
        many = rng.choice((2, 50, 3000))
        return rng.choice(("(", "NOT ", "FLOOR(", "CASE WHEN ")) * many + TOKEN + ")" * many
    return rng.choice(CODE).format(TOKEN)


def value(rng: random.Random, depth: int = 0) -> Any:
    """Something hostile of any type."""
    kind = rng.randrange(9 if depth < 3 else 6)
    if kind < 3:
        return text(rng)
    if kind < 6:
        return rng.choice((True, 0, -1, 2**63, 10**300, 1e308, float("inf"), float("nan"), "", " "))
    if kind == 6:
        return [value(rng, depth + 1) for _ in range(rng.choice((0, 1, 3, 40)))]
    return {text(rng)[:150]: value(rng, depth + 1) for _ in range(rng.choice((0, 1, 3)))}


def tables_in(table: Any) -> list[dict[str, Any]]:
    """A table and all that are in it."""
    inner = table.values() if isinstance(table, dict) else table if isinstance(table, list) else ()
    return [*([table] if isinstance(table, dict) else []), *(each for part in inner for each in tables_in(part))]


def spoil(table: dict[str, Any], rng: random.Random) -> None:
    """Has something hostile in the place of a key, of a value, beside them, or in a part of a text."""
    within = rng.choice([each for each in tables_in(table) if each] or [table])
    key = rng.choice(list(within) or [""])
    match rng.randrange(7):
        case 0:
            within[text(rng)[:150]] = within.pop(key, "TRUE")
        case 1:
            within[key] = value(rng)
        case 2:
            within[text(rng)[:150]] = value(rng)
        case 3:
            within[key] = text(rng)
        case 4 if isinstance(within.get(key), str):
            before = within[key]
            at = rng.randrange(len(before) + 1)
            within[key] = before[:at] + text(rng)[:200] + before[at:]
        case 5 if isinstance(within.get(key), str):
            joined = f" {rng.choice(('AND', 'OR', '+', '='))} "
            within[key] = joined.join([f"({within[key]})"] * rng.choice((2, 9, 100)))
        case _:
            within.pop(key, None)


def spelt(given: Any) -> str:
    """A value in TOML, on one line."""
    if isinstance(given, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {spelt(each)}" for key, each in given.items()) + "}"
    if isinstance(given, list):
        return "[" + ", ".join(map(spelt, given)) + "]"
    if isinstance(given, float):
        return repr(given)
    return json.dumps(given)


def spelt_out(table: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(str(key))} = {spelt(each)}\n" for key, each in table.items())


def doubling(rules: Rules, rng: random.Random) -> dict[str, str]:
    """Terms of terms, by twos, threes or one after the other, in a ring or not."""
    about, many = rng.choice(("workload", "trigger", "check")), rng.choice((3, 14, 60, 2000))
    parts = rng.choice(("{0}", "{0} OR {0}", "NOT {0}", "({0} AND {0}) OR {0}"))
    names = [f"{TOKEN}{at}" for at in range(many)]
    of = [names[-1] if rng.random() < 0.3 else "TRUE", *names]
    made = "".join(f'\n[{about}.{name}]\nis = "{parts.format(of[at])}"\nmeans = "x"\n' for at, name in enumerate(names))
    return {"terms.toml": rules.files["terms.toml"] + made}


def multiplied(rules: Rules, rng: random.Random) -> dict[str, str]:
    """Very many editions, readings or rules, which refer to one another."""
    path = rng.choice([path for path in rules.files if path.startswith(("workload/", "trigger/", "outcome/"))])
    folder, _, name = path.partition("/")
    number = name.partition("_")[0]
    many = rng.choice((2, 30, 300))
    sides = [
        f'{rng.choice(("before", "after"))} = "{folder}.{number if at == 0 else f"{TOKEN}{at - 1}"}"\n'
        for at in range(many)
    ]
    return {f"{folder}/{TOKEN}{at}_x.toml": side + rules.files[path] for at, side in enumerate(sides)}


def spoilt(rules: Rules, rng: random.Random) -> dict[str, str]:
    """A file, or several, with something hostile in it."""
    found = {}
    for path in rng.sample(list(rules.files), rng.choice((1, 1, 3))):
        table = tomllib.loads(rules.files[path])
        for _ in range(rng.choice((1, 1, 2))):
            spoil(table, rng)
        found[path] = spelt_out(table)
    return found


def renamed(rules: Rules, rng: random.Random) -> dict[str, str]:
    """A file whose name is hostile."""
    path = rng.choice(list(rules.files))
    folder = path.rpartition("/")[0]
    return {
        rng.choice(
            (f"{folder}/{text(rng)[:90]}", f"{text(rng)[:90]}/01_a.toml", f"{folder}/01_{TOKEN}.toml")
        ): rules.files[path]
    }


KINDS: tuple[Callable[[Rules, random.Random], dict[str, str]], ...] = (
    spoilt,
    spoilt,
    spoilt,
    spoilt,
    doubling,
    multiplied,
    renamed,
)


def asked(rules: Rules, paths: list[str], snapshot: Snapshot, in_sql: bool) -> None:
    """Reads what is changed of the rules, decides by them, explains it, and perhaps writes their SQL."""
    folders = {path.partition("/")[0] for path in paths if "/" in path}
    for about in DOCUMENTS.values():
        if about.name in folders or not folders.intersection(DOCUMENTS):
            rules.ruleset(about)
    if folders.intersection(("trigger", "call")):
        for _ in Why(rules=rules).ask("OWN", snapshot).doubts:
            pass
    elif folders.intersection(("workload", "outcome", "resolution", "delivery")) or not folders:
        for executor in ("compiled", "plain"):
            decision = Engine(rules, executor=executor).choose(
                Put(queue="LEDGER"), snapshot.cluster, explain="condition"
            )
            assert json.dumps(decision.to_json()).isascii()
        if in_sql:
            show_sql("workload", rules)


LASTING, MEMORY = 2.0, 500 << 10
"""Seconds of the processor for one folder, and KiB for all."""

LONGEST_LINE = 25_000
"""Characters of a line: it may quote an expression, and what it was made of."""


@pytest.mark.parametrize("seed", first(2, range(number_asked("STRANGERS", 400) // 20)))
def test_nothing_of_a_strangers_rules_runs_and_all_ends_soon(seed: int, watch: Watch) -> None:
    rng, own = random.Random(seed), Rules()
    before, snapshot, endings = (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        read_document(FACTS, "facts"),
        {"said": 0, "answered": 0},
    )
    for number in range(20):
        changed = rng.choice(KINDS)(own, rng)
        said = list[str]()
        begun, watch.on = time.process_time(), True
        try:
            asked(own.with_files(changed), list(changed), snapshot, in_sql=number == 0)
            endings["answered"] += 1
        except (RuleError, ReadingError, UnknownRuleError) as error:
            endings["said"] += 1
            said = str(error).split("\n")
        finally:
            watch.on = False
        assert watch.seen == [], (seed, number)
        assert [line for line in said if not line.isprintable() or len(line) > LONGEST_LINE] == [], (seed, number)
        assert time.process_time() - begun < LASTING, (seed, number, [*changed])
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MEMORY
    assert endings["said"] > 3


def test_rules_by_which_every_put_fails_leave_nothing_to_trigger() -> None:
    path = "call/2051_put_inhibited.toml"
    text = Rules().files[path]
    when = next(line for line in text.splitlines() if line.startswith("when"))
    rules = Rules().with_files({path: text.replace(when, "when = \"mqi_call IN ('MQPUT', 'MQPUT1')\"")})
    with pytest.raises(UnansweredError, match="a put to OWN fails although it is put-enabled"):
        Why(rules=rules).ask("OWN", read_document(FACTS, "facts"))


def test_the_watch_sees_what_is_done(watch: Watch, tmp_path: Any) -> None:
    watch.on = True
    try:
        (tmp_path / "f").write_text("")
        exec(compile(f"{TOKEN} = 1", "<x>", "exec"))
    finally:
        watch.on = False
    kinds = {each.partition(" ")[0] for each in watch.seen}
    watch.seen.clear()
    assert kinds == {"open", "compile", "exec"}
    assert not NAME.fullmatch(CODE[0])
