"""Attributes that MQSC does not have for an object are told; those that it has are kept, used or not."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from mqclause.model.configuration.view import build_view
from mqclause.model.readers.mqsc import read_mqsc
from mqclause.model.readers.records import FLAGS, NOUNS, VALUED_ATTRIBUTES, get_known_attributes, list_channel_types
from spec_tests.support.mqsc_script import attributes, fault, faults, record
from spec_tests.support.places import without_column


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("ALTER QLOCAL(A) CLWLPRTI(5)", "ALTER QLOCAL has no attribute CLWLPRTI; did you mean 'CLWLPRTY'?"),
        ("DEF QL(A) MAXDEPHT(5)", "DEFINE QLOCAL has no attribute MAXDEPHT; did you mean 'MAXDEPTH'?"),
        ("DEF QL(A) FROB(3)", "DEFINE QLOCAL has no attribute FROB"),
        ("DEF QR(A) CLWLUSEQ(ANY)", "DEFINE QREMOTE has no attribute CLWLUSEQ; objects that have it: QMGR, QLOCAL"),
        ("DEF QA(A) TRIGGER", "DEFINE QALIAS has no attribute TRIGGER; objects that have it: QLOCAL, QMODEL"),
        ("DEF QL(A) TRIGER", "'TRIGER' is unknown; did you mean 'TRIGGER'?"),
        ("ALTER QMGR CLWLMRU(1)", "ALTER QMGR has no attribute CLWLMRU; did you mean 'CLWLMRUC'?"),
        ("DEF PRO(A) APPLID(x)", "DEFINE PROCESS has no attribute APPLID; did you mean 'APPLICID'?"),
        ("DEF NL(A) NAME(x)", "DEFINE NAMELIST has no attribute NAME; did you mean 'NAMES'?"),
        ("ALTER QL(A) REPLACE", "ALTER QLOCAL has no such attribute"),
        ("SET CHLAUTH(A) TYPE(BLOCKUSER) USERLST(x)", "SET CHLAUTH has no attribute USERLST; did you mean 'USERLIST'?"),
        ("SET AUTHREC PROFIL(A)", "SET AUTHREC has no attribute PROFIL; did you mean 'PROFILE'?"),
        ("STOP CHANNEL(A) STATU(STOPPED)", "STOP CHANNEL has no attribute STATU; did you mean 'STATUS'?"),
        ("SUSPEND QMGR CLUSTR(A)", "SUSPEND QMGR has no attribute CLUSTR; did you mean 'CLUSTER'?"),
    ],
)
def test_what_an_object_does_not_have(command: str, told: str) -> None:
    assert fault(f"* first\n{command}") == f"pay.mqsc:2: {told}"


def test_an_attribute_that_is_cut_off_is_told_with_those_that_begin_so() -> None:
    told = "pay.mqsc:2: DEFINE QLOCAL has no attribute MA; it is not short for MAXDEPTH, MAXFSIZE, MAXMSGL"
    assert fault("DEF QL(A) +\n MA") == f"{told}: attributes are written out"


def test_a_word_before_an_object_is_no_verb() -> None:
    assert fault("FOO QL(B)") == "pay.mqsc:1: FOO is no verb of MQSC; allowed: ALTER, DEFINE, DELETE and the others"
    assert "geheim" not in fault("geheim 'x')")


def test_the_line_is_that_of_the_attribute() -> None:
    assert fault("DEF QL(A) +\n PUT(ENABLED) +\n CLWLRNK(1) +\n GET(ENABLED)").startswith("pay.mqsc:3: ")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (
            "DEF CHL(A) CHLTYPE(CLUSSDR) NETPRTY(3)",
            "CHLTYPE(CLUSSDR) has no attribute NETPRTY; channel types that have it: CLUSRCVR",
        ),
        (
            "DEF CHL(A) CHLTYPE(SDR) CLWLRANK(3)",
            "CHLTYPE(SDR) has no attribute CLWLRANK; channel types that have it: CLUSSDR, CLUSRCVR",
        ),
        (
            "DEF CHL(A) CHLTYPE(CLUSRCVR) CLWLWGTH(3)",
            "DEFINE CHANNEL has no attribute CLWLWGTH; did you mean 'CLWLWGHT'?",
        ),
        (
            "ALTER CHL(A) GET(ENABLED)",
            "ALTER CHANNEL has no attribute GET; objects that have it: QLOCAL, QMODEL, QALIAS",
        ),
    ],
)
def test_channels_have_attributes_by_their_type(command: str, told: str) -> None:
    assert fault(command) == f"pay.mqsc:1: {told}"


def test_a_channel_type_that_is_none() -> None:
    assert fault("DEF CHL(A) CHLTYPE(CLUSRCV)") == (
        "pay.mqsc:1: CHLTYPE: 'CLUSRCV' is not allowed; allowed: AMQP, CLNTCONN, CLUSRCVR, CLUSSDR, MQTT, RCVR, RQSTR,"
        " SDR, SVR, SVRCONN; did you mean 'CLUSRCVR'?"
    )


def test_an_alter_without_the_type_goes_by_the_channel_that_is_there() -> None:
    script = read_mqsc(
        "* Queue manager name: A\nDEF CHL(C) CHLTYPE(CLUSSDR)\nALTER CHL(C) DESCR(x) +\n NETPRTY(1)", "f"
    )
    assert script.diagnostics == ()
    assert [without_column(one) for one in build_view([script], None).diagnostics] == [
        "f:4: CHANNEL 'C': CHLTYPE(CLUSSDR) has no attribute NETPRTY; channel types that have it: CLUSRCVR"
    ]


def test_words_of_values_that_are_used() -> None:
    script = read_mqsc("* Queue manager name: A\nDEF QL(Q) QSGDISP(SHARD)\nDEF QA(S) TARGTYPE(TPIC)", "f")
    assert [without_column(one).split(";")[0] for one in build_view([script], None).diagnostics] == [
        "f:2: QLOCAL 'Q': QSGDISP: 'SHARD' is not allowed",
        "f:3: QALIAS 'S': TARGTYPE: 'TPIC' is not allowed",
    ]


@pytest.mark.parametrize(
    "command",
    [
        "DEF QL(A) STREAMQ(B) STRMQOS(BESTEF) MAXFSIZE(DEFAULT) CAPEXPRY(NOLIMIT) IMGRCOVQ(QMGR)",
        "DEF NOREPLACE - \n QL(A) STGCLASS(S) INDXTYPE(MSGID) CFSTRUCT(C) QSGDISP(SHARED) CMDSCOPE(' ')",
        "DEF QM(A) DEFTYPE(TEMPDYN) CLCHNAME(' ')",
        "ALTER QMGR FORCE INITKEY('x') SCYCASE(UPPER) TCPNAME(TCPIP) OPORTMIN(0) GROUPUR(DISABLED) SUITEB(NONE)",
        "DEF LISTENER(L) TRPTYPE(TCP) PORT(1414) CONTROL(QMGR) BACKLOG(5) IPADDR(' ') REPLACE",
        "DEF SERVICE(S) STARTCMD('a') STARTARG('b') STDOUT('c') SERVTYPE(SERVER) CONTROL(QMGR)",
        "DEF TOPIC(T) TOPICSTR('a') CLROUTE(TOPICHOST) PUBSCOPE(ALL) SUB(ENABLED) LIKE(U)",
        "DEF SUB(S) TOPICOBJ(T) DEST(Q) DESTCLAS(PROVIDED) WSCHEMA(TOPIC) VARUSER(ANY)",
        "DEF AUTHINFO(A) AUTHTYPE(IDPWLDAP) CONNAME('h') LDAPUSER('u') NESTGRP(NO) AUTHORMD(OS) CHCKCLNT(OPTIONAL)",
        "DEF COMMINFO(C) TYPE(MULTICAST) GRPADDR('239.0.0.0') MCPROP(ALL)",
        "DEF CFSTRUCT(C) CFLEVEL(5) RECOVER(YES) OFFLOAD(SMDS) DSBLOCK(256K) OFFLD1SZ(32K)",
        "DEF STGCLASS(S) PSID(4) XCFGNAME(' ')",
        "DEF CHL(A) CHLTYPE(AMQP) PORT(5672) TMPMODEL(M) USECLTID(NO)",
        "DEF CHL(A) CHLTYPE(CLNTCONN) AFFINITY(NONE) CLNTWGHT(1) QMNAME(Q) SHARECNV(1) DEFRECON(YES)",
        "DELETE QL(A) PURGE AUTHREC(YES)",
        "DELETE CHL(A) CHLTABLE(CLNTTAB)",
        "SET CHLAUTH(*) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL) CHCKCLNT(REQUIRED) WARN(NO) ACTION(REPLACE)",
        "STOP CHANNEL(A) MODE(FORCE) STATUS(INACTIVE) QMNAME(B) IGNSTATE(YES)",
        "DISPLAY QLOCAL(*) CURDEPTH WHERE(CURDEPTH GT 0)",
        "RESET QSTATS(A) ANYTHING(x)",
    ],
)  # fmt: skip
def test_what_mqsc_has_is_no_fault(command: str) -> None:
    assert faults(command) == []


def test_what_is_not_used_is_kept() -> None:
    assert attributes("DEF QL(A) MAXDEPTH(5) STREAMQ(B)") == {"MAXDEPTH": "5", "STREAMQ": "B"}


def test_what_a_dump_shows_besides_is_not_looked_at() -> None:
    assert record("DEF QL(A) +\n*  FROBDATE(1) +\n PUT(ENABLED)").informational == {"FROBDATE": "1"}


def test_a_word_without_a_value_may_be_a_password_and_is_not_shown() -> None:
    assert "SESAME" not in fault("ALTER CHANNEL(A) CHLTYPE(SDR) PASSWORD() opensesame")


def test_every_word_that_the_reader_knows_belongs_to_an_object() -> None:
    known = {
        word
        for noun in NOUNS | {"PROCESS"}
        for verb in ("DEFINE", "ALTER")
        for word in get_known_attributes(verb, noun) or ()
    }
    assert known >= VALUED_ATTRIBUTES
    assert known >= FLAGS
    assert {"CLUSRCVR", "CLUSSDR", "SVRCONN"} <= set(list_channel_types())


def test_lists_stand_in_order() -> None:
    """What an object has stands once, where a reader looks for it."""
    objects = tomllib.loads((files("mqclause.model.readers") / "attributes.toml").read_text(encoding="utf-8"))
    lists = {
        f"{noun}.{verb}": words.split()
        for noun, found in objects.items()
        for verb, words in found.items()
        if verb not in ("source", "by_type")
    }
    lists |= {f"{noun}.by_type": [*found["by_type"]] for noun, found in objects.items() if "by_type" in found}
    assert len(lists) > 50
    assert [name for name, words in lists.items() if words != sorted(set(words))] == []
    assert [name for name, words in lists.items() if not all(each.isalnum() and each.isupper() for each in words)] == []
