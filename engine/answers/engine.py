"""The engine: rules loaded once, then a decision for each put."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mqclause.answers.decision import LEVELS, Decision, Level
from mqclause.executors.executor import ExecutorName, executor_of
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.destination import destinations
from mqclause.model.facts.objects import Put
from mqclause.model.facts.sequence import UNCHANGED, SequenceState
from mqclause.model.facts.situation import situation
from mqclause.rulebook.loader import load_ruleset
from mqclause.rulebook.reading import every_local_channel


class Engine:
    """Chooses destinations by the workload rules, under one set of readings.

    It holds no state of any queue manager: the sequence state goes in and comes out with each choice, so one
    engine may be shared between threads.

    ``readings`` maps ids of rules/readings.toml to choices; those left out have their default. ``executor`` is
    ``compiled`` (microseconds) or ``chaining`` (the reference). ``rules`` is a folder of rule files to use in
    place of those that come with the project. Raises ReadingError and RuleError.
    """

    def __init__(
        self,
        readings: Mapping[str, str] | None = None,
        executor: ExecutorName = "compiled",
        rules: Path | None = None,
    ) -> None:
        workload = load_ruleset("workload", readings, rules)
        outcome = load_ruleset("outcome", readings, rules)
        self.rulesets = (workload, outcome)
        self.readings = dict([*workload.readings, *outcome.readings])
        self._workload = executor_of(executor, workload)
        self._outcome = executor_of(executor, outcome)
        self._every_local_channel = every_local_channel(self.readings)

    def choose(
        self, put: Put, cluster: Cluster, state: SequenceState | None = None, explain: Level = "verdict"
    ) -> Decision:
        """The destination of ``put``, made at the local queue manager of ``cluster``.

        ``state`` is ``Decision.state`` of the previous choice; without it the facts' own sequence numbers and
        factors count. ``explain`` says how much of the why the decision holds: ``off`` the outcome alone,
        ``verdict`` also every permitted destination, ``rule`` each rule with who fell by it and why,
        ``condition`` also the tests with their values.
        """
        if explain not in LEVELS:
            raise ValueError(f"explain={explain!r} is not a level; allowed: {', '.join(LEVELS)}")
        listed = destinations(cluster, put, self._every_local_channel)
        if state is None:
            seen = situation(put, cluster, cluster.last_seq_number, UNCHANGED)
            counters = None
        else:
            seen = situation(put, cluster, state.last_number, state.noticed(cluster).pending)
            counters = state.counters
        run = self._workload.run(seen, listed, counters, {}, explain in ("rule", "condition"))
        outcome = self._outcome.run(seen, listed, None, {"permitted": len(run.remaining)}, False)
        return Decision(
            "failed" if outcome.failure else "deferred" if outcome.facts["deferred"] else "chosen",
            put, cluster, explain, self.readings, seen, listed, run, outcome, self.rulesets, state,
        )  # fmt: skip
