"""Runs the tests of a grader with pytest and prints their report: ``python3 -m pytest_report``.

Standard output has JUnit XML and nothing else. Where pytest itself fails, or a program of the
answer could not be run, nothing is printed, and nobody is judged. The first line of a test's
docstring is its title.
"""

import contextlib
import sys
import tempfile
from pathlib import Path
from typing import Final

import pytest
from answer import files, list_faults

_OPTIONS: Final = ("-q", "-p", "no:cacheprovider", "-o", "junit_family=xunit2", "--rootdir=.")


class _Titles:
    """Notes the title of each test, which the report then has."""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            function = getattr(item, "function", None)
            title = (getattr(function, "__doc__", None) or "").strip().partition("\n")[0].strip()
            if title:
                item.user_properties.append(("title", title))


class _Imports:
    """Notes the files of the answer that a test tried to import."""

    def __init__(self) -> None:
        self.tried: set[str] = set()

    def pytest_exception_interact(self, call: pytest.CallInfo[object]) -> None:
        error = call.excinfo.value if call.excinfo else None
        while error is not None:
            if isinstance(error, ModuleNotFoundError) and error.name:
                module_path = error.name.replace(".", "/")
                self.tried.update(
                    path
                    for path in files()
                    if path.startswith((f"{module_path}.py", f"{module_path}/"))
                )
            error = error.__cause__

    def format_hints(self) -> str:
        """Return a line for each of these files, with the way to use it."""
        return "".join(
            f"{file} is of the answer, and cannot be imported by a test: "
            f'use call("{file}", ...) of the module answer\n'
            for file in sorted(self.tried)
        )


def main(arguments: list[str]) -> int:
    """Run the tests in this folder, and print the report."""
    imports = _Imports()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        with contextlib.redirect_stdout(sys.stderr):
            options = [*_OPTIONS, f"--junitxml={report}", *arguments]
            status = pytest.main(options, [_Titles(), imports])
        sys.stderr.write(imports.format_hints())
        if status not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
            return int(status)
        if faults := list_faults():
            sys.stderr.write(f"nobody is judged: {faults[0]}\n")
            return int(pytest.ExitCode.INTERNAL_ERROR)
        sys.stdout.write(report.read_text("utf-8"))
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
