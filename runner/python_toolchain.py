"""The toolchain of suites with ``suite.toml``: Python, and the packages that graders import.

Graders see the packages that the suite names, with all that these need, and no others. The answer's
programs see Python alone. In both jails Python begins as in an empty virtual environment, so that
it imports no package that is installed beside it.
"""

import platform
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from records.suites.suite_config import SuiteConfig
from runner import toolchain
from runner.errors import ToolchainMissingError
from runner.evals.grader_kinds import read_suite_config
from runner.evals.typescript_suites import find_evals_folder
from runner.jail import Bind

TOOLS = "/tools"
"""Python and packages, as the jails of a grader and of an answer have them."""
PACKAGES = f"{TOOLS}/packages"
SEARCH_PATH = f"{TOOLS}/bin:/usr/local/bin:/usr/bin:/bin"

_HOME = Path(__file__).parent
_JUDGES = _HOME / "grading" / "programs"
_KIT = _JUDGES / "kit"
"""Our own modules and programs for graders."""
_JUDGING_FILES = (
    *toolchain.READING_FILES,
    *("evals/grader_kinds.py", "grading/answer_programs.py", "grading/answer_steps.py"),
    *("grading/grade.py", "grading/steps/step.py", "jail/limits.py", "python_toolchain.py"),
)
"""The modules that a verdict depends on, beside the folder of such graders."""
_ENVIRONMENT = "pyvenv.cfg"
"""By this file beside its folder Python leaves out the packages of this machine."""
_SEPARATORS = re.compile(r"[-_.]+")
_REQUIREMENT = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRA = re.compile(r"\bextra\s*==")
_USR = Path("/usr")


@dataclass(frozen=True, slots=True)
class PythonToolchain:
    """Python on this machine, with a suite's packages."""

    config: SuiteConfig
    packages: tuple[tuple[str, str], ...]
    """Names and versions, sorted by name."""
    entries: tuple[Path, ...]
    """The files and folders of the packages, where they are installed."""

    def get_versions(self) -> dict[str, str]:
        """Return the versions of Python and of the packages."""
        return {"python": platform.python_version(), **dict(self.packages)}

    def compute_digest(self) -> str:
        """Return a SHA-256, in hex, of all that a verdict depends on besides answer and grader."""
        stated = {
            "versions": self.get_versions(),
            "answers": self.config.answers.model_dump(mode="json"),
        }
        return toolchain.compute_programs_digest(stated, _list_programs())

    def lay_out(self, folder: Path) -> None:
        """Write Python, the packages and our kit into an empty folder, which jails see as TOOLS.

        Packages are copied, because a grader must not see the other packages of this machine. The
        copies keep their times, without which modules would be compiled again in every grading.
        """
        programs, packages = folder / "bin", folder / "packages"
        programs.mkdir(parents=True)
        packages.mkdir()
        (folder / _ENVIRONMENT).write_text(
            f"home = {_find_interpreter().parent}\ninclude-system-site-packages = false\n", "utf-8"
        )
        for name in ("python3", "python"):
            (programs / name).symlink_to(_find_interpreter())
        # Our own modules beside them: every grader may import these.
        for source in (*self.entries, *sorted(_KIT.glob("*.py"))):
            with suppress(FileNotFoundError):  # a file that the list of a package has in vain
                copy = shutil.copytree if source.is_dir() else shutil.copyfile
                copy(source, packages / source.name)
        run_answer = programs / "run-answer"
        shutil.copyfile(_KIT / "run-answer", run_answer)
        run_answer.chmod(0o755)


GradingToolchain = toolchain.Toolchain | PythonToolchain
"""The toolchain by which a suite is graded."""


def find_python_toolchain(config: SuiteConfig) -> PythonToolchain:
    """Find the packages of a suite.

    Raises:
        ToolchainMissingError: a package is not installed; the message names it.
    """
    # The packages, and all that they need on this machine.
    distributions: dict[str, Distribution] = {}
    waiting = list(config.packages)
    while waiting:
        name = _normalize_name(waiting.pop())
        if name in distributions:
            continue
        try:
            distributions[name] = distribution(name)
        except PackageNotFoundError as error:
            if name in map(_normalize_name, config.packages):
                raise ToolchainMissingError(
                    f"suite.toml: packages: {name} is not installed beside this program: "
                    f"pip install {name}"
                ) from error
            continue  # a package for other systems or other versions of Python
        # The packages that a package needs, without those of its extras.
        needed = (line for line in distributions[name].requires or () if not _EXTRA.search(line))
        waiting += [match[0] for match in map(_REQUIREMENT.match, needed) if match]
    versions = tuple(sorted((name, each.version) for name, each in distributions.items()))
    entries = {path for each in distributions.values() for path in _list_entries(each)}
    return PythonToolchain(config, versions, tuple(sorted(entries)))


def find_grading_toolchain(evals: Path) -> GradingToolchain:
    """Find the toolchain by which the suite at ``evals`` is graded.

    Raises:
        ToolchainMissingError: a part of it is not installed.
        InvalidEvalError: the suite's settings cannot be read.
    """
    config = read_suite_config(find_evals_folder(evals))
    return toolchain.find_toolchain(evals) if config is None else find_python_toolchain(config)


def list_python_binds(tools: Path) -> tuple[Bind, ...]:
    """Return the binds of Python without packages; ``tools`` is the folder that was laid out."""
    own = (Bind(tools / name, f"{TOOLS}/{name}") for name in ("bin", _ENVIRONMENT))
    return (*own, *list_interpreter_binds())


def list_interpreter_binds() -> tuple[Bind, ...]:
    """Return the bind of Python's own files, at their own path; empty where jails have them."""
    prefix = Path(sys.base_prefix).resolve()
    return () if prefix.is_relative_to(_USR) else (Bind(prefix, str(prefix)),)


@cache
def _find_interpreter() -> Path:
    """Return Python itself, which a virtual environment only links."""
    return (
        Path(sys.base_prefix).resolve()
        / "bin"
        / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    )


def _normalize_name(name: str) -> str:
    """Return a package's name as PEP 503 compares it: ``a-b`` for ``A.b`` and ``a_B``."""
    return _SEPARATORS.sub("-", name).lower()


def _list_entries(package: Distribution) -> Iterator[Path]:
    """Yield the modules of a package at the top, without its programs and metadata."""
    root = Path(str(package.locate_file("")))
    for file in package.files or ():
        name = file.parts[0]
        if name not in {"..", "__pycache__"} and not name.endswith((".dist-info", ".pth")):
            yield root / name


def _list_programs() -> list[Path]:
    judges = (path for path in _JUDGES.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return sorted([*judges, *(_HOME / name for name in _JUDGING_FILES)])
