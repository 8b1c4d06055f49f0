"""Each rule about graders finds its fault, and accepts similar code without the fault."""

from pathlib import Path
from typing import Final

import pytest

from tests.runner.suite.lint.clean import (
    GRADER,
    list_findings,
    list_found_rules,
    plant_code,
    write_clean,
)

pytestmark = pytest.mark.unit

TEST: Final = 'def test_more(convex: Convex) -> None:\n    """More."""\n'

FAULTS: Final = {
    "a function that the task does not name": (
        TEST + '    assert convex.query("skates:count") == 1\n',
        "unmentioned-name",
    ),
    "a table that the task does not name": (
        TEST + '    assert convex.table("lockers") == []\n',
        "unmentioned-name",
    ),
    "an argument that the task does not name": (
        TEST + '    assert convex.query("skates:list", {"sizeEu": 38.0}) == []\n',
        "unmentioned-name",
    ),
    "a field that a helper hands on": (
        "def insert(convex: Convex, **changes: float) -> str:\n"
        '    """Insert."""\n    return convex.insert("skates", {"size": 1.0, **changes})\n\n\n'
        + TEST
        + "    assert insert(convex, weightG=7.0) != insert(convex)\n",
        "unmentioned-name",
    ),
    "a field of a result that the task does not name": (
        TEST + '    assert skates(convex, 1.0)[0]["lender"] is None\n',
        "unmentioned-name",
    ),
    "an error that the task does not name": (
        TEST
        + "    with pytest.raises(FunctionFailed) as refused:\n"
        + '        convex.mutation("skates:lend", {"owner": "Bo"})\n'
        + '    assert refused.value.data == "not found"\n',
        "unmentioned-name",
    ),
    "a code in an error's data that the task does not name": (
        TEST
        + "    with pytest.raises(FunctionFailed) as refused:\n"
        + '        convex.mutation("skates:lend", {"owner": "Bo"})\n'
        + '    assert refused.value.data == {"size": {"owner": "NOT_FOUND"}}\n',
        "unmentioned-name",
    ),
    "a field of an error's data whose value the task does not name": (
        TEST
        + "    with pytest.raises(FunctionFailed) as refused:\n"
        + '        convex.mutation("skates:lend", {"owner": "Bo"})\n'
        + '    assert refused.value.data["size"] == "NOT_FOUND"\n',
        "unmentioned-name",
    ),
    "a message that the task does not name": (
        TEST
        + '    with pytest.raises(FunctionFailed, match="not found"):\n'
        + '        convex.mutation("skates:lend", {"owner": "Bo"})\n',
        "unmentioned-name",
    ),
    "an index that the task does not name": (
        TEST + '    assert "by_size" in str(convex.schema.tables["skates"].indexes)\n',
        "unmentioned-name",
    ),
    "a file that the task does not name": (
        (
            'def test_more(output: Output) -> None:\n    """More."""\n'
            '    assert output.has("convex/sizes.tsx")\n'
        ),
        "unmentioned-name",
    ),
    "a button that the task does not name": (
        'def test_more(ui: Ui) -> None:\n    """More."""\n    ui.render().click("Borrow")\n',
        "unmentioned-name",
    ),
    "a test of the same name": (
        (
            'def test_lent_skates_are_refused(convex: Convex) -> None:\n    """More."""\n'
            "    assert skates(convex, 1.0) == []\n"
        ),
        "left-out-test",
    ),
    "a misnamed test": (
        (
            'def tset_more(convex: Convex) -> None:\n    """More."""\n'
            "    assert skates(convex, 1.0) == []\n"
        ),
        "left-out-test",
    ),
    "sleeping": ("import time\n\n" + TEST + "    time.sleep(1)\n", "sleep"),
    "sleeping by another name": (
        "from time import sleep as rest\n\n" + TEST + "    rest(1)\n",
        "sleep",
    ),
    "chance": (
        "import random\n\n" + TEST + "    assert skates(convex, random.random()) == []\n",
        "unseeded",
    ),
    "chance without a seed": (
        "import random\n\n" + TEST + "    assert skates(convex, random.Random().random()) == []\n",
        "unseeded",
    ),
    "a random id": (
        "from uuid import uuid4\n\n" + TEST + "    assert skates(convex, uuid4().int) == []\n",
        "unseeded",
    ),
    "the clock": (
        "from datetime import datetime\n\n"
        + TEST
        + "    assert skates(convex, datetime.now().timestamp()) == []\n",
        "clock",
    ),
    "a true constant": (TEST + "    skates(convex, 1.0)\n    assert True\n", "cannot-fail"),
    "a pair instead of a message": (
        TEST + '    assert (skates(convex, 1.0) == [], "none")\n',
        "cannot-fail",
    ),
    "both sides the same": (
        TEST + "    found = skates(convex, 1.0)\n    assert found == found\n",
        "cannot-fail",
    ),
    "a length that is never negative": (
        TEST + "    assert len(skates(convex, 1.0)) >= 0\n",
        "cannot-fail",
    ),
    "an alternative that always holds": (
        TEST + "    assert skates(convex, 1.0) == [] or True\n",
        "cannot-fail",
    ),
    "nothing at all": (TEST + "    convex.clock\n", "cannot-fail"),
    "no look at the answer": (
        'def test_more() -> None:\n    """More."""\n    assert sorted([2, 1]) == [1, 2]\n',
        "cannot-fail",
    ),
    "a loop that may be over nothing": (
        TEST + "    for skate in skates(convex, 1.0):\n        assert skate is None\n",
        "may-assert-nothing",
    ),
    "any error at all": (
        TEST + "    with pytest.raises(Exception):\n        skates(convex, 1.0)\n",
        "broad-raises",
    ),
    "errors that are swallowed": (
        TEST
        + "    try:\n        assert skates(convex, 1.0)\n    except Exception:\n        return\n",
        "broad-except",
    ),
    "skipping": (TEST + "    assert skates(convex, 1.0) or pytest.skip()\n", "skip"),
    "an expected failure": (
        "@pytest.mark.xfail\n" + TEST + "    assert skates(convex, 1.0)\n",
        "skip",
    ),
    "only the reference": (
        (
            'def test_more(reference: Convex) -> None:\n    """More."""\n'
            "    assert skates(reference, 1.0) == []\n"
        ),
        "reads-reference",
    ),
    "a test without a title": (
        "def test_more(convex: Convex) -> None:\n    assert skates(convex, 1.0) == []\n",
        "untitled-test",
    ),
}

HARMLESS: Final = {
    "a seeded choice": (
        "import random\n\n" + TEST + "    assert skates(convex, random.Random(1).random()) == []\n"
    ),
    "the deployment's clock": TEST + "    assert skates(convex, convex.clock.now()) == []\n",
    "a record's keys that were put in": (
        TEST
        + '    convex.insert("skates", {"size": 1.0, "owner": "bo", "lent": False})\n'
        + '    assert {"bo": False} == {each["owner"]: each["lent"] for each in '
        'convex.table("skates")}\n'
    ),
    "a helper that asserts": (
        'def none(convex: Convex) -> None:\n    """None."""\n'
        "    assert skates(convex, 1.0) == []\n\n\n" + TEST + "    none(convex)\n"
    ),
    "a loop after an assertion": (
        TEST
        + "    found = skates(convex, 1.0)\n    assert found == []\n"
        + "    for skate in found:\n        assert skate is None\n"
    ),
    "a loop over what the grader knows": (
        TEST + "    for size in (1.0, 2.0):\n        assert skates(convex, size) == []\n"
    ),
    "a call that must not fail": (
        TEST + '    convex.insert("skates", {"size": 1.0, "owner": "Bo", "lent": False})\n'
    ),
    "calling twice": TEST + "    assert skates(convex, 1.0) == skates(convex, 1.0)\n",
    "a word that is also a folder": (
        TEST + '    convex.insert("skates", {"size": 1.0, "owner": "answer", "lent": False})\n'
    ),
    "an error handled by its name": (
        TEST
        + "    try:\n        skates(convex, 1.0)\n    except FunctionFailed as error:\n"
        + '        assert error.data == "already lent"\n'
    ),
    "an error's data that the grader put in": (
        TEST
        + '    convex.insert("skates", {"size": 1.0, "owner": "bo_17", "lent": False})\n'
        + "    with pytest.raises(FunctionFailed) as refused:\n"
        + '        convex.mutation("skates:lend", {"owner": "bo_17"})\n'
        + '    assert refused.value.data == {"owner": "bo_17"}\n'
    ),
    "options of a helper": (
        "def listed(convex: Convex, options: dict[str, bool], **counts: int) -> int:\n"
        '    """Count."""\n    return len(skates(convex, 1.0)) + len(options) + '
        "sum(counts.values())\n\n\n"
        + TEST
        + '    assert listed(convex, {"fast": True}, _7=1) == 2\n'
    ),
    "names of Convex's own": (
        TEST + '    assert [each["_id"] for each in convex.table("skates")] == []\n'
    ),
    "a fixture of the grader's": (
        "@pytest.fixture\ndef rink(convex: Convex) -> Convex:\n"
        '    """Open the rink."""\n    return convex\n\n\n'
        'def test_more(rink: Convex) -> None:\n    """More."""\n'
        "    assert skates(rink, 1.0) == []\n"
    ),
}


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    """Return an eval without a fault."""
    return write_clean(tmp_path / "evals")


def test_a_clean_eval_has_no_findings(clean: Path) -> None:
    """Lint has no finding where nothing is wrong."""
    assert list_findings(clean) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_by_its_rule(clean: Path, fault: str) -> None:
    """The planted fault is found by its own rule, and there is no other finding."""
    code, rule = FAULTS[fault]
    all_findings = plant_code(clean, code)
    assert set(list_found_rules(all_findings)) == {rule}
    # The line is that of the fault, or that of the code that hides it; never the first.
    assert all(finding.line > 1 for finding in all_findings)


@pytest.mark.parametrize("code", HARMLESS)
def test_right_texts_pass(clean: Path, code: str) -> None:
    """Code that only looks like a fault has no finding."""
    assert plant_code(clean, HARMLESS[code]) == []


CHECKS: Final = '''\
"""More checks."""

from runner.grader import Convex


def test_more(convex: Convex) -> None:
    """More."""
    assert convex.query("skates:list", {"size": 1.0}) == []
'''


@pytest.mark.parametrize(
    ("statement", "rules"),
    [
        ("", {"canary", "left-out-test"}),
        ("import check_more\n", {"canary", "left-out-test"}),
        ("from check_more import test_more\n", {"canary"}),
    ],
)
def test_checks_run_only_if_they_are_imported(clean: Path, statement: str, rules: set[str]) -> None:
    """A test beside the grader runs only if grader.py takes it over by its name."""
    (clean / "check_more.py").write_text(CHECKS)
    (clean / "grader.py").write_text(statement + GRADER)
    assert set(list_found_rules(list_findings(clean))) == rules
