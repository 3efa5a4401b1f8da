"""Tables in Spark whose rows are of local queue managers of several editions of MQ."""

from __future__ import annotations

from typing import Any

import pytest

from mqclause import Rules
from mqclause.model.configuration.snapshot import read_document

pytest.importorskip("pyspark")
from pyspark.sql import SparkSession

from mqclause.spark import decide

LEVELS = {"QM1": 750, "QM4": 930, "QM5": 0}


def cluster(name: str) -> Any:
    """QM2 has the higher rank and is put-disabled: up to 7.5 puts go to QM3, from 8.0 on they fail."""
    others = [{"name": each, "clusters": ["PLANT"]} for each in ("QM2", "QM3")]
    own: dict[str, Any] = {"name": name, "clusters": ["PLANT"]}
    queues = [
        {"name": "PARTS", "queue_manager": "QM2", "clusters": ["PLANT"], "clwlrank": 4, "put": "DISABLED"},
        {"name": "PARTS", "queue_manager": "QM3", "clusters": ["PLANT"]},
    ]
    channels = [
        {"name": f"PLANT.{each}", "queue_manager": each, "cluster": "PLANT", "status": "RUNNING"}
        for each in ("QM2", "QM3")
    ]
    known = {"queue_manager": own | ({"command_level": LEVELS[name]} if LEVELS[name] else {}),
             "remote_queue_manager": others, "queue": queues, "channel": channels}  # fmt: skip
    return read_document(known, "plant.toml").cluster


@pytest.mark.deep
@pytest.mark.parametrize(
    ("edition", "expected"),
    [
        (None, {"QM1": ("QM3", None), "QM4": (None, 2268), "QM5": ("QM3", None)}),
        ("mq-9.4", dict.fromkeys(LEVELS, (None, 2268))),
        ("wmq-7.5", dict.fromkeys(LEVELS, ("QM3", None))),
    ],
)
def test_each_row_is_decided_by_the_edition_of_its_local_queue_manager(
    spark: SparkSession, edition: str | None, expected: dict[str, tuple[str | None, int | None]]
) -> None:
    table = spark.createDataFrame([(name, "PARTS") for name in LEVELS], "place string, dest string")
    clusters = {name: cluster(name) for name in LEVELS}
    rows = decide(table, clusters, Rules(edition=edition), at="place", queue="dest", explain=True).collect()
    assert {row.place: (row.decision.queue_manager or None, row.decision.reason) for row in rows} == expected
    fell = {row.place: list(row.decision.eliminated_by) for row in rows}
    for name, (host, _) in expected.items():
        assert fell[name] == (["workload.01a", None] if host else ["workload.04d", "workload.04b"])
