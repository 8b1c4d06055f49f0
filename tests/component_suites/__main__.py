"""``python -m tests.component_suites [PACKAGE...]``: the rows of the table in docs/backend.md."""

import sys
from pathlib import Path

from runner.toolchain import find_toolchain
from tests.component_suites.suites import find_surprises, format_row, list_packages, run_suite


def main(packages: list[str]) -> int:
    """Run the suites, and print a row and the surprises of each; return 1 where there are any."""
    toolchain = find_toolchain(Path(__file__).parents[2] / "evals")
    surprises: list[str] = []
    for package in packages or list_packages(toolchain):
        result = run_suite(package, toolchain)
        sys.stdout.write(f"{format_row(result)}\n")
        surprises += find_surprises(result)
    sys.stderr.writelines(f"{surprise}\n" for surprise in surprises)
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
