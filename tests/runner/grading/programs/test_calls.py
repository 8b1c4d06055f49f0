"""The kit's `call`: an exception of the answer's function, and ends that resemble an exception."""

from pathlib import Path
from typing import Final

import pytest

from records.shapes.attempt import Outcome
from runner.grading.grade import GradingService, Submission
from runner.grading.worker.protocol import ALL_TESTS
from tests.runner.command_suite import read_eval, write_command_suite
from tests.support.texts import read_texts
from tests.support.tiers import leave_to_night

pytestmark = pytest.mark.more

TEXTS = read_texts(__file__)

_REFUSALS: Final = TEXTS["refusals"]
_DEEP: Final = TEXTS["deep"]
_CIRCLE: Final = "def add(a, b):\n    circle = []\n    circle.append(circle)\n    return circle\n"
_NO_ARGUMENTS: Final = "    def __call__(self):\n        return 5\n"
_OWN_SIGNATURE: Final = f"""\
class Add:
    @property
    def __signature__(self):
        raise RuntimeError("no")
{_NO_ARGUMENTS}
add = Add()
"""
_OTHER_ARGUMENTS: Final = "does not take the arguments"
UNRAISED: Final = {
    "set": ("def add(a, b):\n    return {1}\n", "JSON cannot hold: TypeError"),
    "generator": ("def add(a, b):\n    yield\n", "JSON cannot hold: TypeError"),
    "coroutine": ("async def add(a, b):\n    raise ValueError\n", "JSON cannot hold: TypeError"),
    "two-keys": ("def add(a, b):\n    return {(1, 2): 3}\n", "JSON cannot hold: TypeError"),
    "circle": (_CIRCLE, "JSON cannot hold: ValueError"),
    "deep": (_DEEP, "JSON cannot hold: RecursionError"),
    "digits": ("def add(a, b):\n    return 10**9000\n", "JSON cannot hold: ValueError"),
    "length": ("def add(a, b):\n    return 'x' * 9_000_000\n", "limit: output"),
    "exit": ("def add(a, b):\n    raise SystemExit(0)\n", "ended with status 0"),
    "interruption": ("def add(a, b):\n    raise KeyboardInterrupt\n", "gave no result"),
    "signature": ("def add():\n    return 5\n", _OTHER_ARGUMENTS),
    "object": (f"class Add:\n{_NO_ARGUMENTS}add = Add()\n", _OTHER_ARGUMENTS),
    "partial": ("import functools\nadd = functools.partial(lambda a: a)\n", _OTHER_ARGUMENTS),
    "cached": (
        "import functools\n\n@functools.cache\ndef add():\n    return 5\n",
        _OTHER_ARGUMENTS,
    ),
    "of-python": ("add = len\n", _OTHER_ARGUMENTS),
    "number": ("add = 5\n", _OTHER_ARGUMENTS),
    "own-signature": (_OWN_SIGNATURE, _OTHER_ARGUMENTS),
    "no-function": ("def sub(a, b):\n    return a - b\n", "could not be loaded: AttributeError"),
    "no-python": ("def add(a, b)\n", "could not be loaded: SyntaxError"),
    "broken-module": ("raise ValueError('no')\n", "could not be loaded: ValueError: no"),
}
"""Answers that raise nothing when they are called, and a part of the message about each."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A suite of one eval, whose tests expect an exception."""
    folder = write_command_suite(tmp_path / "evals")
    (folder / "000-numbers" / "000-sums" / "grader" / "test_sums.py").write_text(_REFUSALS)
    return folder


@pytest.mark.parametrize(
    ("answer", "message"),
    leave_to_night(UNRAISED, but=("set", "exit", "signature", "object", "no-function")),
)
def test_no_other_end_is_taken_for_an_exception_of_the_function(
    root: Path, service: GradingService, answer: str, message: str
) -> None:
    """A wrong answer meets no test of a refusal by its result, its end or a broken file."""
    submission = Submission(read_eval(root), ALL_TESTS, files={"sums.py": answer})
    tests = service.judge(submission).tests
    assert tests is not None
    assert [test.outcome for test in tests] == [Outcome.FAILED] * 4
    assert [test.message for test in tests if message not in (test.message or "")] == []


@pytest.mark.parametrize(
    "answer",
    [
        "def add(a, b):\n    raise TypeError('no numbers')\n",
        "def add(a, b):\n    return a + None\n",
        "import functools\n\n@functools.cache\ndef add(a, b):\n    return a + None\n",
        "class add:\n    def __init__(self, a, b):\n        raise TypeError('no numbers')\n",
        "add = next\n",
        "class Add:\n    def __call__(self, a, b):\n        return a + None\nadd = Add()\n",
    ],
    ids=["raised", "happened", "decorated", "class", "of-python", "object"],
)
def test_an_exception_of_the_function_is_its_own(
    root: Path, service: GradingService, answer: str
) -> None:
    """The test gets its class and text, for every kind of callable and at any depth."""
    submission = Submission(read_eval(root), ALL_TESTS, files={"sums.py": answer})
    tests = service.judge(submission).tests
    assert tests is not None
    passed = [test.name for test in tests if test.outcome is Outcome.PASSED]
    assert passed == ["test_refusal[TypeError]", "test_refusal[any]"]
