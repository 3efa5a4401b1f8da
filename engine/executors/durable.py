"""The adapter to durable_rules: one network per condition, one fresh session per stratum, asserted facts only.

What keeps the library safe, and what each point avoids (tools/bench/soak.py --misuse repeats some of it):

- the extension module is driven directly: durable.engine.Host starts two threads that dispatch every ruleset beside
  the caller, and its actions swallow exceptions;
- single facts and tests of one fact's attributes only: joins of several tests read out of bounds;
- no retraction, priority, batch or event: each corrupts memory or changes the order of firing;
- attributes have numbers for names (pattern.py), so none has one that its own fact of a session has (id, sid, $s): a
  test of that fact, which lacks what it is compared with, reads what was never written; facts of one id count as one;
- a second rule matches every fact: deleting the session of a fact that matched nothing corrupts memory;
- numbers are written in digits alone: it reads no exponents;
- the session is deleted after each stratum: about a thousand live ones are the limit.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import cache
from itertools import count
from math import prod
from threading import Lock
from typing import Any

import durable_rules_engine

FACT = "subject"
"""The attribute that every fact has: which subject it is about."""

MATCHED = "rule"
_MATCHED_KEY = f'"{MATCHED}"'
OBSERVED = 2
"""The code of an assertion that durable_rules takes for one made before."""

_json = json.JSONEncoder(check_circular=False).encode
_quoted = json.encoder.encode_basestring_ascii
_decoded = json.JSONDecoder().decode
_lock = Lock()
if hasattr(os, "register_at_fork"):
    # A process that is forked while a thread is within would wait for that thread, which it does not have.
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)
_sessions = count(1)


def has_plain_digits(number: float) -> bool:
    """Whether JSON writes a number without an exponent, which durable_rules does not read."""
    return "e" not in repr(number)


def _encoded(fact: Mapping[str, Any]) -> str:
    """A fact as JSON, every number in digits alone; in less time than json takes, which makes an encoder for each."""
    pairs = [f"{_quoted(name)}: {_WRITTEN.get(type(value), _json)(value)}" for name, value in fact.items()]
    return f"{{{', '.join(pairs)}}}"


def _digits(number: float) -> str:
    if has_plain_digits(number):
        return _json(number)
    digits = format(Decimal(repr(number)), "f")
    return digits if "." in digits else f"{digits}.0"


_WRITTEN: Mapping[type, Callable[[Any], str]] = {
    str: _quoted,
    bool: {False: "false", True: "true"}.__getitem__,
    int: int.__repr__,
    float: _digits,
}


class ChainingError(RuntimeError):
    """durable_rules did not do what it was asked: an error of ours or of the library, never of the input."""


def alternatives(form: Mapping[str, Any]) -> int:
    """In how many ways a condition can be met: one for each choice among the parts of its ``$or``."""
    if "$or" in form:
        return sum(map(alternatives, form["$or"]))
    return prod(map(alternatives, form["$and"])) if "$and" in form else 1


class Network:
    """One condition, as durable_rules holds it. ``condition`` is in the library's own JSON form."""

    def __init__(self, condition: str) -> None:
        every_fact = {"all": [{"m": {"$ex": {FACT: 1}}}]}
        form = json.loads(condition)
        definition = {MATCHED: {"all": [{"m": form}]}, "every": every_fact}
        # A fact fires the rule once for each alternative that it matches, and the other rule once.
        self._budget = alternatives(form) + 3
        self._handle = durable_rules_engine.create_ruleset(f"network{next(_sessions)}", json.dumps(definition))

    def matches(self, facts: Iterable[Mapping[str, Any]]) -> set[int]:
        """Asserts each fact in a fresh session; the ``subject`` of those for which the condition's rule fired.

        Every attribute that the condition names is present in every fact. Raises ChainingError.
        """
        with _lock:
            session = str(next(_sessions))
            fired: set[int] = set()
            live = False
            try:
                for fact in facts:
                    self._assert({**fact, "sid": session}, fired)
                    live = True
            finally:
                if live:
                    durable_rules_engine.delete_state(self._handle, session)
            return fired

    def _assert(self, fact: Mapping[str, Any], fired: set[int]) -> None:
        """Asserts one fact, runs what fires until nothing does, and adds the subjects that matched to ``fired``."""
        code, state = durable_rules_engine.assert_fact(self._handle, _encoded(fact))
        if code == OBSERVED:
            # It knows a fact by 32 bits of a hash, which two facts can share; one more attribute tells them apart.
            code, state = durable_rules_engine.assert_fact(self._handle, _encoded({**fact, "again": 1}))
        if code:
            raise ChainingError(f"durable_rules refused a fact with code {code}: {fact}")
        started = durable_rules_engine.start_action_for_state(self._handle, state)
        firing = started[1] if started else None
        budget = self._budget
        while firing:
            budget -= 1
            if not budget:
                raise ChainingError(f"durable_rules fired without end on {fact}")
            # Most facts fire the other rule alone, which is not worth decoding.
            match = _decoded(firing).get(MATCHED) if _MATCHED_KEY in firing else None
            if match is not None:
                fired.add(match["m"][FACT])
            firing = durable_rules_engine.complete_and_start_action(self._handle, state)


@cache
def network(condition: str) -> Network:
    """The network of a condition; made once, as the library never gives its memory back."""
    return Network(condition)
