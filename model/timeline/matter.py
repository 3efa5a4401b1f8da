"""Matters: what an event of administration touches, one thing at a time, as the rules of document 004 see it."""

from __future__ import annotations

from attrs import frozen

from mqclause.model.facts.constants import REASONS
from mqclause.model.facts.domains import LARGEST, NAME_OR_BLANK, Text, Whole, Words, seen, words
from mqclause.model.facts.objects import CHANNEL_STATES, DEFTYPES

QUESTIONS = (
    "suspend", "suspend_route", "resume", "refresh_command", "refresh", "put", "fail", "fail_route", "recover",
    "recover_route", "unavailable", "arrive", "information", "request",
)  # fmt: skip
"""What the rules are asked about: what becomes of a thing at an event, or what a day finds of what is held."""

MODES_STATED = ("", "QUIESCE", "FORCE")
"""What MODE of a SUSPEND QMGR says; blank: nothing."""

WAYS = ("", "here", "elsewhere")
KINDS_TOUCHED = ("", "queue_manager", "queue", "channel", "message")
DAYS = Whole(0, LARGEST)
LISTED = Text(200)
"""A few names, as they stand in a sentence."""


@frozen(eq=False)
class Matter:
    """One thing that an event touches; ``name``, ``host`` and ``cluster`` tell it from others.

    ``owned`` is what the local queue manager owns, ``also_elsewhere`` what a refresh meets that is in further
    clusters; ``mode`` and ``repos`` are what the command states. Of a route: its ``status``, its ``deftype``, the
    messages ``waiting`` for it on the transmission queue, those ``in_flight`` on it, and whether it leads out of the
    queue manager that is suspended, ``outbound``. A queue manager, or that at the end of a route, may
    be a ``full_repository``; the local one is, ``at_full_repository``. Of a put to a name that
    a refresh removed: the ``repositories`` that could be asked for it. Of a message: ``fast`` is its channel; when the
    workload rules have ``chosen_again``, whether
    there is an ``alternative``, which may be down too, or a queue here that is ``full``, or the target itself was
    chosen with ``others_permitted``; whether an exit that was asked for one ``exit_refuses`` the message (or
    ``exit_fails``), or ``exit_keeps`` it with the target that failed. Of one that arrives: where its queue's name
    ``leads``: here, to a local queue ``base`` that may be ``full``, elsewhere (to another queue manager, which may be
    ``queue_manager_named``, to a transmission queue), or to nothing; ``disabled`` is the first put-disabled object on
    that way, and ``chosen_behind`` says that an instance of that was looked for. Of both ``reason`` is what another
    choice ends with, or a put to that name, where there is no destination. Of what a repository holds: its
    ``age`` and that of the latest that its owner sent, in days; of a request, whether it was ``referenced`` since it
    was made, and on this day.
    """

    asked: str = seen(Words(QUESTIONS), "suspend")
    kind: str = seen(Words(KINDS_TOUCHED), "")
    name: str = seen(NAME_OR_BLANK, "")
    host: str = seen(NAME_OR_BLANK, "")
    cluster: str = seen(NAME_OR_BLANK, "")
    owned: bool = False
    suspended: bool = False
    mode: str = seen(Words(MODES_STATED), "")
    repos: str = words("NO", "YES", default="NO")
    status: str = seen(Words(CHANNEL_STATES), "INACTIVE")
    deftype: str = seen(Words((*DEFTYPES, "")), "")
    also_elsewhere: bool = False
    waiting: int = seen(Whole(0, LARGEST), 0)
    in_flight: int = seen(Whole(0, LARGEST), 0)
    outbound: bool = False
    full_repository: bool = False
    at_full_repository: bool = False
    repositories: str = seen(LISTED, "")
    persistent: bool = True
    fast: bool = True
    bound: bool = False
    in_doubt: bool = False
    delivered: bool = False
    chosen_again: bool = False
    alternative: bool = False
    alternative_down: bool = False
    others_permitted: bool = False
    exit_refuses: bool = False
    exit_fails: bool = False
    exit_keeps: bool = False
    leads: str = seen(Words(WAYS), "here")
    base: str = seen(NAME_OR_BLANK, "")
    disabled: str = seen(NAME_OR_BLANK, "")
    full: bool = False
    chosen_behind: bool = False
    queue_manager_named: bool = False
    reason: str = seen(Words(("", *REASONS)), "")
    dead_letter_queue: bool = False
    age: int = seen(DAYS, 0)
    owner_age: int = seen(DAYS, 0)
    referenced: bool = False
    referenced_today: bool = False
