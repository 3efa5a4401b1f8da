"""MQSC in shell scripts, YAML and JCL: read as runmqsc gets it, at its places in the file."""

from __future__ import annotations

import pytest

from mqclause.model.configuration.file_reports import report_files
from mqclause.model.configuration.snapshot import read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import FactsError
from mqclause.model.readers.embedded import find_block_scalars
from mqclause.model.readers.records import Script
from mqclause.model.readers.registry import read_contents
from spec_tests.support.deep import every

SHELL = """#!/bin/bash
# sets up the queue manager; DEFINE QLOCAL(NEVER)
QM="PAY.QM"   # the name
PREFIX=PAY
if [ "$1" != "again" ]; then
  strmqm $QM
fi
runmqsc -e $QM <<-EOF
\tDEFINE QLOCAL($PREFIX.IN) +
\t  CLUSTER(SALES)
\tDEFINE QLOCAL('a$b')
\tEOF
cat <<'DONE' | runmqsc "$QM"
DEFINE PROCESS(P) APPLICID('run $PREFIX')
END
DONE
cat <<EOF > notes.txt
Define it again where it is lost.
EOF
"""
YAML = """apiVersion: v1
kind: ConfigMap
data:
  first.mqsc: |{}
    DEFINE QLOCAL(A) CLUSTER(SALES) -
    DESCR('of the -
    shop')

    * a remark
    DEFINE QLOCAL(B)
  note: |
    Define the rest by hand.
  list:
    - |
      DEFINE QALIAS(C) TARGET(A)
    - name: two  # and this
      text: |2
        ALTER QMGR DEADQ(DLQ)
"""
JCL = """//PAYQ     JOB (ACCT),'QUEUES',CLASS=A
//* MQSC FOR THE SUBSYSTEM
//STEP1    EXEC PGM=CSQUTIL,PARM='CSQ7'
//SYSPRINT DD SYSOUT=*
//SYSIN    DD *
  COMMAND DDNAME(CMDINP)
//CMDINP   DD *
DEFINE QLOCAL(A) +                                                      00010000
   CLUSTER(SALES)                                                       00020000
* A REMARK                                                              00030000
DEFINE QLOCAL(B)                                                        00040000
/*
//MORE     DD DATA,DLM='$$'
//* NO MQSC
$$
"""


def script(text: str) -> Script:
    read = read_contents(text.encode(), "f")
    assert isinstance(read, Script)
    assert read.diagnostics == ()
    return read


def named(read: Script) -> list[tuple[str, str, int | None]]:
    return [(each.kind, each.name, each.line) for each in read.records]


def test_the_here_documents_of_a_shell_script() -> None:
    read = script(SHELL)
    assert (read.format, read.queue_manager, read.further) == ("shell", "PAY.QM", ())
    assert named(read) == [("QLOCAL", "PAY.IN", 9), ("QLOCAL", "a$b", 11), ("PROCESS", "P", 14)]
    assert read.records[0].place_of("CLUSTER") == (10, 4)
    assert read.records[2].attributes == {"APPLICID": "run $PREFIX"}
    assert [str(each) for each in read.notes] == [
        "f: looks like a shell script: MQSC in the here-document of line 8, lines 9 to 11;"
        " the here-document of line 13, lines 14 and 15"
    ]


@pytest.mark.parametrize(
    "call", ["runmqsc QM1 <<EOF", "docker exec -i q runmqsc QM1 << 'EOF'", "cat <<EOF | runmqsc QM1"]
)
def test_a_shell_script_without_its_first_line(call: str) -> None:
    read = script(f"{call}\nDEFINE QLOCAL(A)\nEOF\n")
    assert (read.format, read.queue_manager, named(read)) == ("shell", "QM1", [("QLOCAL", "A", 2)])


def test_here_documents_for_several_queue_managers() -> None:
    read = script("#!/bin/sh\nrunmqsc QM1 <<E\nDEFINE QLOCAL(A)\nE\nrunmqsc QM2 <<E\nDEFINE QLOCAL(B)\nE\n")
    assert [(each.queue_manager, named(each)) for each in (read, *read.further)] == [
        ("QM1", [("QLOCAL", "A", 3)]),
        ("QM2", [("QLOCAL", "B", 6)]),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '#!/bin/bash\nQM=QM1\nstrmqm $QM\necho "DEFINE QLOCAL(A)" | runmqsc $QM\n',
            "is a shell script; MQSC stands in line 4: give what runmqsc reads",
        ),
        (
            "#!/bin/sh\nprintf 'def ql(a)\\n' | runmqsc QM1\nrunmqsc QM1 <<< \"ALTER QMGR DEADQ(A)\"\n# echo 'DEFINE X'\n",
            "is a shell script; MQSC stands in lines 2 and 3: give what runmqsc reads",
        ),
        ("#!/usr/bin/env bash\ndspmq\n", "is a shell script without MQSC that can be read"),
        (
            "#!/usr/bin/env python3\nprint('DEFINE QLOCAL(A)')\n",
            "is a program for python3: allowed is the MQSC that it gives to runmqsc, in a file of its own",
        ),
        (
            "# Queues\n\nDefine them (all):\n\n```mqsc\nDEFINE QLOCAL(A)\n```\n\n```\nls\n```\n",
            "is Markdown; MQSC stands in it from line 6 on: give what runmqsc reads",
        ),
        ("apiVersion: v1\nkind: Pod\n", "is YAML without MQSC that can be read"),
        ("//A JOB\n//B EXEC PGM=IEFBR14\n", "is JCL without MQSC that can be read"),
    ],
)
def test_what_has_no_mqsc_that_can_be_read_is_told_in_one_line(text: str, told: str) -> None:
    with pytest.raises(FactsError) as refused:
        read_sources([Source("f", text.encode())], "QM1")
    assert str(refused.value) == f"f: {told}"


def test_mqsc_in_quotes_beside_a_here_document_is_told() -> None:
    read = script(SHELL + 'echo "ALTER QMGR DEADQ(A)" | runmqsc $QM\n')
    assert [str(each) for each in read.notes][1:] == [
        "f:20: MQSC stands in line 20 in quotes, which is not read: give what runmqsc reads"
    ]


@pytest.mark.parametrize("how", ["", "-", "+", " # all of it"])
def test_the_block_scalars_of_yaml(how: str) -> None:
    read = script(YAML.format(how))
    assert (read.format, read.queue_manager) == ("YAML", "")
    assert named(read) == [("QLOCAL", "A", 5), ("QLOCAL", "B", 10), ("QALIAS", "C", 15), ("QMGR", "", 18)]
    assert read.records[0].attributes == {"CLUSTER": "SALES", "DESCR": "of the shop"}
    assert read.records[0].place_of("DESCR") == (6, 5)
    assert [str(each) for each in read.notes] == [
        "f: looks like YAML: MQSC in first.mqsc, lines 5 to 10; a list, line 15; text, line 18"
    ]


@pytest.mark.parametrize("key", ["m:", '"m: !x":', "'m':", "m: !!str", "m: !t &a", "- m: &a !t", "m: !k:"])
def test_a_key_of_yaml_with_a_tag_and_an_anchor(key: str) -> None:
    assert [each.lines[0][1] for each in find_block_scalars(f"a: 1\n{key} |\n    DEFINE QLOCAL(A)\n")] == [
        "DEFINE QLOCAL(A)"
    ]


@pytest.mark.parametrize("no_key", ["m: !a !b &c", "m: n", ":", '"m: n', "# m:", "m # n:", "m: !a b"])
def test_no_key_of_yaml(no_key: str) -> None:
    assert [*find_block_scalars(f"a: 1\n{no_key} |\n    DEFINE QLOCAL(A)\n")] == []


def test_fences_of_markdown() -> None:
    """The first block holds no MQSC, the second does, the third does and is open to the end."""
    mqsc = "```\nDEFINE QLOCAL(A)\n"
    with pytest.raises(FactsError) as refused:
        read_sources([Source("f", f"# x\n\n```sh\nls\n```\n{mqsc}```\n{mqsc}".encode())], "QM1")
    assert "MQSC stands in it from lines 7 and 10 on" in str(refused.value)


def test_a_scalar_of_yaml_that_folds_its_lines() -> None:
    read = script("data:\n  a: >-\n    DEFINE QLOCAL(A)\n    CLUSTER(SALES)\n\n    DEFINE QLOCAL(B)\n")
    assert named(read) == [("QLOCAL", "A", 3), ("QLOCAL", "B", 6)]
    assert read.records[0].attributes == {"CLUSTER": "SALES"}
    assert len(read.notes) == 1
    lost = script("data:\n  a: >\n    DEFINE QLOCAL(A)\n    DEFINE QLOCAL(B)\n")
    assert named(lost) == [("QLOCAL", "A", 3), ("QLOCAL", "B", 4)]
    assert [str(each) for each in lost.notes][1:] == [
        "f:3: > folds the lines of this block into one, and so runmqsc gets them: | keeps them"
    ]


def test_the_data_in_the_stream_of_jcl() -> None:
    read = script(JCL)
    assert (read.format, read.queue_manager) == ("JCL", "CSQ7")
    assert named(read) == [("QLOCAL", "A", 8), ("QLOCAL", "B", 11)]
    assert read.records[0].attributes == {"CLUSTER": "SALES"}
    assert [str(each) for each in read.notes] == ["f: looks like JCL: MQSC in CMDINP, lines 8 to 11"]
    (account,) = report_files([Source("f", JCL.encode())])
    assert (account.read, account.objects) == ("wholly", {"QLOCAL": 2})


def test_the_data_of_a_step_ends_where_jcl_says() -> None:
    read = script(
        "//A EXEC PGM=CSQUTIL,PARM='CSQ7'\n//IN DD DATA\n* //REMARK\nDEFINE QLOCAL(A)\n/*\n"
        "//IN DD *,DLM=XX\nDEFINE QLOCAL(B)\n* /*\nXX\n//LAST DD *\nDEFINE QLOCAL(C)\n//END EXEC PGM=IEFBR14\n"
    )
    assert named(read) == [("QLOCAL", "A", 4), ("QLOCAL", "B", 7), ("QLOCAL", "C", 11)]


def test_a_fault_stands_at_its_place_in_the_file() -> None:
    read = read_contents(YAML.format("").replace("QLOCAL(B)", "QLOCAL(B) PUT(").encode(), "f")
    assert isinstance(read, Script)
    assert [str(each) for each in read.diagnostics] == [
        "f:10:26: PUT: a parenthesis is opened but not closed in this command"
    ]
    assert len(read.records) == 3
    prose = read_contents(YAML.format("").replace("* a remark", "1. a\n    2. b").encode(), "f")
    assert isinstance(prose, Script)
    assert [str(each).partition(";")[0] for each in prose.diagnostics] == [
        "f:9:5: no MQSC command starts here, nor down to line 10"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "* data: |\nDEFINE QLOCAL(A)\n",
        "DEFINE QLOCAL(A) DESCR('runmqsc QM9 <<EOF') REPLACE\n* DEFINE\n",
        "DEFINE QLOCAL(A) +\nDESCR('-\nrunmqsc QM9 <<E') REPLACE +\nSHARE\nEND\nDEFINE QLOCAL(B)\nE\n",
        "* runmqsc QM9 <<E\nDEFINE QLOCAL(A)\n* E\n",
        "DEFINE PROCESS(A) APPLICID('//A JOB')\n",
        "* ```\n* DEFINE QLOCAL(B)\n* ```\nDEFINE QLOCAL(A)\n",
        "* Note: |\n*   DEFINE QLOCAL(B)\nDEFINE QLOCAL(A)\n",
    ],
)
def test_a_script_that_names_such_things_is_a_script(text: str) -> None:
    read = script(text)
    assert (read.format, len(read.records)) == ("MQSC", 1)


def test_lines_of_very_many_blanks_beside_a_block_scalar() -> None:
    blanks = " " * 1_000_000
    found = [*find_block_scalars(f"a: 1\n{blanks}x\n{'- ' * 200_000}\nm.mqsc: |\n  DEFINE QLOCAL(Q1)\n")]
    assert [(each.name, [line for _, line, _ in each.lines]) for each in found] == [("m.mqsc", ["DEFINE QLOCAL(Q1)"])]


@pytest.mark.parametrize("many", every(2, ["<<", "echo ", "runmqsc ", 'echo "<<" runmqsc ']))
def test_a_line_of_very_many_marks_of_a_shell_script(many: str) -> None:
    read = script(f"# {many * 100_000}\n: {many * 100_000}\nrunmqsc QM1 << END\nDEFINE QLOCAL(Q1)\nEND\n")
    assert named(read) == [("QLOCAL", "Q1", 4)]
