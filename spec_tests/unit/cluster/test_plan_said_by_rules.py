"""What a plan makes of a failure, and by which clause factors restart, is said by rules alone: each changed."""

from __future__ import annotations

from mqclause import Engine, Rules, read_members
from mqclause.cluster.admin_commands import apply_failure
from mqclause.cluster.plan import find_restart_clause
from mqclause.model.configuration.members import apply_changes_everywhere
from mqclause.model.configuration.sources import Source


def test_what_a_failure_does_to_the_routes_is_said_by_the_rules_alone() -> None:
    """Said otherwise, the routes to QM2 are PAUSED, or those that are STOPPED are retried, too."""
    script = "* Queue manager name: {0}\nDEFINE CHANNEL(TO.{0}) CHLTYPE(CLUSRCVR) CLUSTER(SALES)\n"
    before = read_members([Source(name, script.format(name).encode()) for name in ("QM1", "QM2", "QM3", "QM4")])
    stopped = apply_changes_everywhere(before, ["CHANNEL(TO.QM2) QMGR(QM3) STATUS(STOPPED)"])

    def states(rules: Rules) -> dict[str, list[str]]:
        after = apply_failure(stopped, "QM2", rules)
        return {
            member.cluster.queue_manager.name: [each.status for each in member.cluster.channels_by_queue_manager["QM2"]]
            for member in after
        }

    rules, path = Rules(), "administration/05a_routes_retry.toml"
    own = {"QM2": ["INACTIVE"]}  # its own receiver is no route
    assert states(rules) == {"QM1": ["RETRYING"], "QM3": ["STOPPED"], "QM4": ["RETRYING"], **own}
    paused = rules.files[path].replace("RETRYING", "PAUSED").replace(" AND status <> 'STOPPED'", "")
    assert states(rules.with_files({path: paused})) == {"QM1": ["PAUSED"], "QM3": ["PAUSED"], "QM4": ["PAUSED"], **own}


def test_by_which_clause_factors_restart_is_that_of_the_rule_that_says_it() -> None:
    rules, path = Rules(), "workload/12a_reset_factors.toml"
    other = rules.with_files({path: rules.files[path].replace('clause = "workload/12"', 'clause = "workload/11"')})
    assert [find_restart_clause(Engine(of)) for of in (rules, other)] == ["12", "11"]
