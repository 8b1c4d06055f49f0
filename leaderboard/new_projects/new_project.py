"""The folder of a new project, for a suite of a team's own."""

import json
import re
import sys
import uuid
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path
from typing import Final, NamedTuple

import click
from pydantic import TypeAdapter, ValidationError

from generator.read.site_settings import SiteSettings
from leaderboard.terminal.error_messages import DISTRIBUTION
from records.files.problems import InvalidFieldsError, validate_fields
from records.shapes.base import EvalName
from records.suites.canary import format_canary_line
from runner.evals import canary

_FILES: Final = Path(__file__).parent / "files"
_ENDING: Final = ".template"
_HIDDEN: Final = ("gitignore", "github")
"""Names that begin with a dot in a project, and here would be obeyed by git and by GitHub."""
_OTHER_CHARACTERS: Final = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME: Final = 40
_EVAL_NAME: Final = TypeAdapter(EvalName)


@dataclass(frozen=True, slots=True)
class NewProject:
    """What is particular to a project."""

    title: str
    name: str
    """The short name of its suite."""
    category: str
    """The first category of its evals, without the number."""
    address: str
    """Where its site will be published."""

    def fill(self, text: str, guid: str) -> str:
        """Return a text with the particulars in place of their marks."""
        values = {
            "@TITLE@": self.title,
            "@NAME@": self.name,
            "@CATEGORY@": self.category,
            "@ADDRESS@": self.address,
            "@CANARY@": guid,
            "@REQUIREMENT@": find_requirement().line,
            "@PYTHON@": f"{sys.version_info[0]}.{sys.version_info[1]}",
        }
        for mark, value in values.items():
            text = text.replace(mark, value)
        return text


class Requirement(NamedTuple):
    """The line of a project's requirements file that installs this program."""

    line: str
    file: str | None
    """The address of the wheel or folder that the line names; None for a version of the index."""


def find_requirement() -> Requirement:
    """Return the requirement of this program, as it was installed here.

    A program that was installed from a file or folder may be in no index, so it is named by that.
    """
    installed = distribution(DISTRIBUTION)
    name = f"{DISTRIBUTION}[run,serve]"
    noted = installed.read_text("direct_url.json")
    address = None if noted is None else json.loads(noted).get("url")
    if not isinstance(address, str):
        return Requirement(f"{name}=={installed.version}", None)
    return Requirement(f"{name} @ {address}", address)


def name_suite(folder: Path) -> str:
    """Return the short name of a suite in a project's folder."""
    words = _OTHER_CHARACTERS.sub("-", folder.resolve().name.lower()).strip("-")
    return words[:_LONGEST_NAME].strip("-") or "suite"


def check_project(folder: Path, project: NewProject) -> None:
    """Check that a project can be written.

    Raises:
        ClickException: the folder has files, or a particular cannot stand in its file.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise click.ClickException(f"{folder}: is not empty: choose a new folder")
    for option, text in (("--title", project.title), ("--address", project.address)):
        if not text.isprintable() or not text.strip() or set(text) & {'"', "\\", "@"}:
            raise click.ClickException(
                f"{option}: must be a line of text without quotation marks, backslashes and @"
            )
    _check_settings(project)
    try:
        _EVAL_NAME.validate_python(f"000-{project.category}/000-greeting")
    except ValidationError as error:
        raise click.ClickException(
            f"--category {project.category}: must be snake_case, such as basics"
        ) from error


def _check_settings(project: NewProject) -> None:
    """Check the settings of a project's site as `build` does.

    Raises:
        ClickException: a setting is wrong; the message names its option.
    """
    fields = {"title": project.title, "tagline": "-", "address": project.address}
    try:
        validate_fields(fields, SiteSettings, SiteSettings.model_validate)
    except InvalidFieldsError as error:
        raise click.ClickException(f"--{error}") from error


def write_project(folder: Path, project: NewProject) -> list[Path]:
    """Write the files of a project; return their paths in it, sorted."""
    guid = str(uuid.uuid4())
    written: list[Path] = []
    for source in sorted(_FILES.rglob(f"*{_ENDING}")):
        path = _build_path(source.relative_to(_FILES).as_posix(), project)
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(project.fill(source.read_text("utf-8"), guid), "utf-8")
        written.append(path)
    canary.mark(folder / "evals", format_canary_line(project.name, guid))
    return sorted(written)


def _build_path(template: str, project: NewProject) -> Path:
    first, slash, rest = template.removesuffix(_ENDING).partition("/")
    dotted = f".{first}" if first in _HIDDEN else first
    return Path(f"{dotted}{slash}{rest}".replace("@CATEGORY@", project.category))
