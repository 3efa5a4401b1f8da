"""One queue's messages: runs, order of delivery, and what counts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mqclause.model.timeline.queue import EMPTY_QUEUE, MessageChain, MessageRun, QueueState
from spec_tests.support.one_queue_manager import reaching

BILLION = 1_000_000_000


def priorities_got(queue: QueueState) -> list[int]:
    found: list[int] = []
    while True:
        got, queue = queue.got()
        if got is None:
            return found
        found.append(got.priority)


class TestDelivery:
    def test_highest_priority_first(self) -> None:
        queue = EMPTY_QUEUE.put(3, 1, True).put(7, 2, True).put(0, 1, True).put(7, 1, False)
        assert priorities_got(queue) == [7, 7, 7, 3, 0]

    def test_oldest_first_within_a_priority(self) -> None:
        queue = EMPTY_QUEUE.put(3, 1, True).put(3, 1, False).put(3, 1, True)
        kept = []
        for _ in range(3):
            got, queue = queue.got()
            assert got is not None
            kept.append(got.run.persistent)
        assert kept == [True, False, True]

    def test_an_empty_queue_gives_nothing(self) -> None:
        assert EMPTY_QUEUE.got() == (None, EMPTY_QUEUE)

    def test_an_uncommitted_message_is_not_given(self) -> None:
        _, queue = EMPTY_QUEUE.put_uncommitted(3, 1, True)
        assert queue.got() == (None, queue)
        assert queue.depth == 1

    def test_a_committed_message_is_given_at_the_place_of_its_put(self) -> None:
        run, queue = EMPTY_QUEUE.put_uncommitted(3, 1, True)
        queue = queue.put(3, 1, False).after_commit(3, run)
        got, _ = queue.got()
        assert got is not None
        assert got.run == run

    def test_a_message_that_is_brought_back_comes_first(self) -> None:
        queue = EMPTY_QUEUE.put(3, 3, True)
        got, queue = queue.got()
        assert got is not None
        queue = queue.put(3, 1, True).after_get_backout(3, got.run)
        assert list(queue.runs()) == [(3, MessageRun(0, 4, True))]


class TestCounting:
    def test_by_priority(self) -> None:
        queue = EMPTY_QUEUE.put(3, 2, True).put(7, 1, True)
        _, queue = queue.put_uncommitted(9, 5, True)
        assert [queue.counted(reaching(lowest))[1] for lowest in (0, 3, 4, 8)] == [8, 8, 6, 5]
        assert [queue.counted(reaching(lowest))[0] for lowest in (0, 3, 4, 8)] == [3, 3, 1, 0]
        assert (queue.depth, queue.committed, queue.uncommitted) == (8, 3, 5)

    def test_commit_and_withdrawal(self) -> None:
        one, queue = EMPTY_QUEUE.put_uncommitted(9, 5, True)
        two, queue = queue.put_uncommitted(2, 4, True)
        queue = queue.after_commit(9, one).after_put_backout(2, two)
        assert (queue.committed, queue.uncommitted) == (5, 0)

    def test_a_restart_loses_what_is_not_persistent(self) -> None:
        queue = EMPTY_QUEUE.put(3, 2, True).put(3, 4, False).put(3, 1, True).drop_nonpersistent()
        assert (queue.committed, queue.uncommitted) == (3, 0)
        assert [run.size for _, run in queue.runs()] == [2, 1]


class TestRuns:
    def test_a_billion_messages_are_one_run(self) -> None:
        queue = EMPTY_QUEUE.put(4, BILLION, True).put(4, BILLION, True)
        assert list(queue.runs()) == [(4, MessageRun(0, 2 * BILLION, True))]
        got, queue = queue.got()
        assert got is not None
        assert queue.after_get_backout(4, got.run) == EMPTY_QUEUE.put(4, 2 * BILLION, True)

    def test_units_committed_in_any_order_join(self) -> None:
        queue, runs = EMPTY_QUEUE, []
        for _ in range(3):
            run, queue = queue.put_uncommitted(4, BILLION, True)
            runs.append(run)
        for at in (1, 2, 0):
            queue = queue.after_commit(4, runs[at])
        assert list(queue.runs()) == [(4, MessageRun(0, 3 * BILLION, True))]

    def test_a_put_that_is_backed_out_leaves_no_gap(self) -> None:
        queue = EMPTY_QUEUE
        for _ in range(1000):
            run, queue = queue.put(4, 1, True).put_uncommitted(4, 1, True)
            queue = queue.after_put_backout(4, run)
        assert list(queue.runs()) == [(4, MessageRun(0, 1000, True))]

    def test_the_place_of_a_message_counts_what_came_before_it_of_any_priority(self) -> None:
        queue = EMPTY_QUEUE.put(3, 2, True).put(7, 1, True)
        run, queue = queue.put_uncommitted(3, 1, True)
        queue = queue.put(3, 1, True).after_commit(3, run)
        assert [(found.priority, found.run.first, found.run.size) for found in queue.runs()] == [
            (7, 2, 1), (3, 0, 2), (3, 3, 2),
        ]  # fmt: skip

    @given(st.permutations(range(40)))
    def test_messages_brought_back_in_any_order_are_got_from_any_place(self, order: list[int]) -> None:
        chain = MessageChain()
        for place in order:
            chain = chain.after_get_backout(MessageRun(2 * place, 1, True))
        assert [run.first for run in chain.runs()] == list(range(0, 80, 2))
        for place in order[::-1]:
            run, chain = chain.got(2 * place)
            assert run == MessageRun(2 * place, 1, True)
        assert (chain.committed, chain.older, chain.last) == (0, None, None)
