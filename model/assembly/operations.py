"""The commands that operate a queue manager and its channels, as far as they are known to change a decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attrs import define, field

from mqclause.model.diagnostic import Diagnostic, DomainError, name_suggestion, quoted
from mqclause.model.facts.domains import NAME, Domain, Words
from mqclause.model.readers.record import Record, Value

STOPPING = {"STATUS": Words(("STOPPED", "INACTIVE")), "MODE": Words(("QUIESCE", "FORCE", "TERMINATE"))}
"""The parameters of STOP CHANNEL that say what becomes of the channel."""

OF_A_CLUSTER = "REFRESH is not carried out: what is known of others in that cluster stays as it is"
OF_ANYTHING_ELSE = "REFRESH changes nothing that an answer rests on: left out"


@define
class Operations:
    """What was done to one queue manager, in the order of its commands.

    ``suspended`` has the clusters in which it is suspended now, ``suspension`` is the latest command about that, and
    ``channels`` are those that started and stopped channels. ``faults`` has what was refused, ``warnings`` what is
    not carried out. ``listed_by`` gives the names in a namelist that a command names.
    """

    faults: list[Diagnostic]
    listed_by: Callable[[str, Record, str], tuple[str, ...]]
    warnings: list[Diagnostic] = field(factory=list)
    suspended: dict[str, None] = field(factory=dict)
    suspension: Record | None = None
    channels: list[Record] = field(factory=list)

    def take(self, record: Record) -> bool:
        """Carry out ``record`` if it is such a command; false if it is none."""
        actions = {
            "suspend": self._suspend,
            "resume": self._suspend,
            "start": self._operate,
            "stop": self._operate,
            "state": self.channels.append,
            "refresh": self._refresh,
        }
        action = actions.get(record.action)
        if action:
            action(record)
        return action is not None

    def _operate(self, record: Record) -> None:
        for attribute, words in STOPPING.items():
            refused = refusal(words, record.attributes.get(attribute, words.words[0]), attribute)
            if refused:
                self.faults.append(told(record, str(refused), attribute))
                return
        self.channels.append(record)

    def _refresh(self, record: Record) -> None:
        self.warnings.append(told(record, OF_A_CLUSTER if record.kind == "CLUSTER" else OF_ANYTHING_ELSE))

    def _suspend(self, record: Record) -> None:
        verb = record.action.upper()
        if record.attributes.keys() & {"CLUSTER", "CLUSNL"}:
            self._in_clusters(record)
        elif record.attributes.keys() & {"FACILITY", "LOG"}:
            self.warnings.append(told(record, f"{verb} names no cluster: left out"))
        else:
            self.faults.append(told(record, f"{verb} needs CLUSTER or CLUSNL"))

    def _in_clusters(self, record: Record) -> None:
        self.suspension = record
        names = list(record.listed("CLUSTER"))
        for each in record.listed("CLUSNL"):
            names += self.listed_by(each, record, "CLUSNL")
        for name in names:
            refused = refusal(NAME, name, "CLUSTER")
            if record.action == "resume":
                self.suspended.pop(name, None)
            elif refused:
                self.faults.append(told(record, str(refused), "CLUSTER"))
            else:
                self.suspended[name] = None
        if record.listed("MODE") == ("FORCE",):
            message = "MODE(FORCE) stops inbound channels too: their states are left as they are"
            self.warnings.append(told(record, message, "MODE"))

    def suspended_elsewhere(self, name: str, clusters: Sequence[str]) -> Iterator[Diagnostic]:
        """The clusters in which the queue manager of that name is suspended although it is in none but ``clusters``."""
        for each in self.suspended if self.suspension else ():
            if self.suspension and each not in clusters:
                near = name_suggestion(each, clusters)
                message = f"SUSPEND: {name} is not in the cluster {quoted(each)}: changes nothing{near}"
                yield told(self.suspension, message, "CLUSTER")


def told(record: Record, message: str, attribute: str = "") -> Diagnostic:
    """What there is to say of ``record``, on the line of ``attribute`` if that is given."""
    what = f"{record.kind} {quoted(record.name)}" if record.name else record.kind
    return Diagnostic(record.source, f"{what}: {message}", *record.place_of(attribute))


def refusal(domain: Domain, value: Value, key: str) -> DomainError | None:
    """Why ``value`` is not in ``domain``; None if it is."""
    try:
        domain(value, key)
    except DomainError as error:
        return error
    return None
