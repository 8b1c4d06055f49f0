"""A suite whose graders are programs, written to a folder for tests."""

from pathlib import Path

from records.suites.suite_config import SuiteConfig
from runner.evals.discovery import Eval, discover
from runner.evals.grader_kinds import ProgramGraders
from tests.support.texts import write_files

CANARY = "2b6c7c1e-4a5f-4b7e-9d0a-3f1f5f0f6a11"
SETTINGS = f"""\
name = "sums"
canary = "{CANARY}"
system_prompt = "You write small programs."
packages = ["pytest"]

[answers]
paths = ["*.py", "lib/**/*.py", "data/*.txt"]
required = ["sums.py"]
most_files = 4
most_bytes = 5000

[grader]
command = ["python3", "-m", "pytest_report"]
answer_s = 3
answer_memory_mb = 300
answer_processes = 10
"""
CONFIG = """\
title = "Sums"
concept = "Two numbers are added."
why = "Everything else is made of this."
guidelines = []
pipeline = "command"
"""
ANSWER = "def add(a, b):\n    return a + b\n"
GRADER = '''\
"""Sums."""

from answer import call


def test_small_numbers() -> None:
    """Two small numbers are added."""
    assert call("sums.py", "add", 2, 3) == 5


def test_large_numbers() -> None:
    """Numbers of many digits are exact."""
    assert call("sums.py", "add", 10**30, 1) == 10**30 + 1
'''
CALIBRATION = """\
[fail.product]
step = "tests"
tests = ["test_small_numbers"]
reason = "The numbers are multiplied."
diff."sums.py" = '''
-    return a + b
+    return a * b
'''
"""


def write_command_suite(root: Path, settings: str = SETTINGS) -> Path:
    """Write a suite of one eval and return its folder."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "suite.toml").write_text(settings)
    (root / "guidelines.md").write_text("# Guidelines\n\n## Sums\n\nAdd.\n")
    folder = root / "000-numbers" / "000-sums"
    files = {
        "TASK.txt": "Write sums.py with a function add(a, b).\n",
        "eval.toml": CONFIG,
        "answer/sums.py": ANSWER,
        "grader/test_sums.py": GRADER,
        "calibration/calibration.toml": CALIBRATION,
    }
    write_files(folder, files)
    return root


def read_eval(
    root: Path, grader: str | None = None, limits: str = "", *, command: str = 'sh", "judge'
) -> Eval:
    """Return the eval of a written suite; ``grader`` is a shell script that judges instead."""
    folder = root / "000-numbers" / "000-sums"
    if grader is not None:
        (folder / "grader" / "judge").write_text(grader)
        table = f'\n[grader]\ncommand = ["{command}"]\nanswer_s = 3\nanswer_memory_mb = 300\n'
        (folder / "eval.toml").write_text(f"{CONFIG}{table}{limits}")
    return discover(root).evals[0]


def get_suite_config(evaluation: Eval) -> SuiteConfig:
    """Return the settings of the eval's suite."""
    assert isinstance(evaluation.kind, ProgramGraders)
    return evaluation.kind.config
