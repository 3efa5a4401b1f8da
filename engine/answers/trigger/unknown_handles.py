"""Unknown handles: what is taken where nobody tells how many handles a queue has that are open for input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import define

from mqclause.answers.trigger.examination import Examination, Triggers
from mqclause.model.timeline.occasion import Occasion

OF_QUEUE = ("open_input_count", "previous_open_input_count", "open_by_others")
OF_INITQ = ("initq_open_input_count", "initq_opened_before", "initq_opened_by_others")
"""What one more handle, open since before the event, adds to: of a queue, and of its initiation queue."""


@define(eq=False)
class UnknownHandles:
    """The ``queues`` of unknown IPPROCS about which nothing was said yet, and the rules that may turn on them."""

    triggers: Triggers
    queues: set[str]

    def assumed(self, examinations: Iterable[Examination]) -> Iterator[str]:
        """What the examinations rest on: said at the first one that would end otherwise with one more handle."""
        if not self.queues:
            return
        for examination in examinations:
            occasion = examination.occasion
            if not occasion.trigger:
                continue
            for queue, counts in ((occasion.queue, OF_QUEUE), (occasion.initq, OF_INITQ)):
                if queue in self.queues and self._matters(examination, _served(occasion, counts)):
                    self.queues.remove(queue)
                    yield (
                        f"no handle on {queue} was open for input at the start: no source tells IPPROCS;"
                        f" DISPLAY QSTATUS('{queue}') IPPROCS"
                    )

    def _matters(self, examination: Examination, served: Occasion) -> bool:
        return _result(self.triggers.examine(served)) != _result(examination)


def _served(occasion: Occasion, counts: Iterable[str]) -> Occasion:
    """The same where one more handle is open for input, and was before the event."""
    return occasion.with_seen({name: getattr(occasion, name) + 1 for name in counts})


def _result(examination: Examination) -> tuple[bool, int, bool, bool]:
    wrote, off = examination.rule is not None, examination.turns_off is not None
    return wrote, examination.events if wrote else 0, wrote and examination.available, off
