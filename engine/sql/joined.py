"""Puts joined with a cluster's snapshot: what several rows ask alike is one situation, which is decided once."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from attrs import frozen

from mqclause.columns import DESTINATION, PUT
from mqclause.model.cluster import Cluster
from mqclause.model.domain import Flag, Names
from mqclause.sql.condition import sql_literal
from mqclause.sql.shape import Kind, Shape, put_fields
from mqclause.sql.situation import in_case, names_literal

COMPARED = [name for name in PUT if name != "qmgr_clwluseq"]


@frozen
class JoinedPuts:
    """SQL for both dialects: ``key`` says, for a column each, what of a put makes a difference.

    A put that is null is a key of its own. ``put`` is the put that the rules see, made of a key and its row of the
    snapshot ``named``; ``shape`` is the shape of the joined table.
    """

    key: Mapping[str, str]
    put: Mapping[str, str]
    shape: Shape


def joined_puts(columns: Mapping[str, Kind], cluster: Cluster) -> JoinedPuts:
    """How the puts of a table with these columns are joined. Raises TableError."""
    present = put_fields(columns)
    beside = [name for name in ("clwlmruc",) if columns.get(name) == "integer"]
    key = {
        "mq_key_null": "put IS NULL",
        **{f"mq_key_{name}": _key(name, present, beside, cluster) for name in COMPARED},
    }
    put = {name: f"keys.mq_key_{name}" for name in COMPARED}
    put["bind"] = (
        "CASE WHEN keys.mq_key_bind = 'AS_Q_DEF' THEN COALESCE(named.defbind, 'OPEN') ELSE keys.mq_key_bind END"
    )
    put["qmgr_clwluseq"] = sql_literal(cluster.queue_manager.clwluseq)
    return JoinedPuts(
        {"mq_key_null": "put IS NULL", **key}, put, Shape(tuple(put), tuple(DESTINATION), may_be_empty=True)
    )


def _key(name: str, present: Collection[str], beside: Collection[str], cluster: Cluster) -> str:
    column = PUT[name]
    default = cluster.queue_manager.clwlmruc if name == "clwlmruc" else column.default
    blank = names_literal(column.default) if isinstance(column.domain, Names) else sql_literal(default)
    own = [f"put.{name}"] if name in present else []
    value = f"COALESCE({', '.join([*own, *(each for each in beside if each == name), blank])})"
    if name == "already_sent_to":
        pcf = "put.cluster_pcf" if "cluster_pcf" in present else "FALSE"
        return f"CASE WHEN {pcf} THEN {value} ELSE {blank} END"
    if isinstance(column.domain, Flag) and name not in present:
        return "FALSE"
    return in_case(column, value)
