"""The project that a command works on: its folder, and the settings in its `leaderboard.toml`.

A project is searched in the current folder, then in the folders above. The only settings are
folders and the number of graders. Users run commands in cloned projects, so the file of a project
must not choose the receivers of keys and answers, or the jail of model-written code.
"""

import functools
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import click
import tomli
from click.core import ParameterSource

from leaderboard.terminal.streams import say
from records.files.data_folder import DataFolder

FILE = "leaderboard.toml"
LARGEST_FILE = 64 * 1024
"""Bytes."""

FOLDERS: Mapping[str, str | None] = {
    "data": "data",
    "evals": "evals",
    "templates": "site_templates",
    "texts": "site_texts",
    "site": "site",
    "workspaces": None,
}
"""Settings that name a folder, with their defaults; None leaves the choice to the system."""

_OWN_TEMPLATES = Path(__file__).parents[1] / "site_templates"
"""The templates of this program, for projects without templates and outside of projects."""


class BadSettingsError(click.ClickException):
    """A `leaderboard.toml` that cannot be used; the message names file and keys."""


class ProjectFolder(NamedTuple):
    """A project's folder, with the settings in its file."""

    root: Path
    """The path relative to the current folder, such as ``../..``."""
    settings: Mapping[str, str | int]
    """The settings by name; empty if there is no file."""

    @property
    def file(self) -> Path:
        """The path of the settings file, which may be missing."""
        return self.root / FILE

    def find_setting(self, name: str) -> Path | int | None:
        """Return the value of a setting, else its default; None if it has neither."""
        value = self.settings.get(name, FOLDERS.get(name))
        if not isinstance(value, str):
            return value
        folder = self.root / value
        if name == "templates" and name not in self.settings and not folder.is_dir():
            return _OWN_TEMPLATES
        return folder


def find_default(name: str) -> Path | int | None:
    """Return the value of a setting for a command in the current folder; None if it has none.

    Raises:
        BadSettingsError: the file of the project cannot be used.
    """
    return (find_project() or ProjectFolder(Path(), {})).find_setting(name)


def find_folder(name: str) -> Path:
    """Return the folder that a setting names; the setting must have a default.

    Raises:
        BadSettingsError: the file of the project cannot be used.
    """
    return Path(cast("Path", find_default(name)))


# A command that is printed, or run by the menu, takes the folders of the project by default.
def build_data_option(data: DataFolder) -> list[str]:
    """Return the option that names a data folder; empty for the folder of the project."""
    return [] if data.root == find_folder("data") else ["--data", str(data.root)]


def build_suite_option(evals_root: Path | None) -> list[str]:
    """Return the option that names the folder of a suite; empty for the folder of the project."""
    return [] if evals_root in {None, find_folder("evals")} else ["--evals", str(evals_root)]


def find_texts() -> Path | None:
    """Return the project's folder of texts for its pages; None where it has no `site.toml`.

    Raises:
        BadSettingsError: the file of the project cannot be used.
    """
    project = find_project()
    folder = None if project is None else project.find_setting("texts")
    return folder if isinstance(folder, Path) and (folder / "site.toml").is_file() else None


def find_project() -> ProjectFolder | None:
    """Return the nearest project from the current folder upward; None if there is none.

    Raises:
        BadSettingsError: the file of the project cannot be used.
    """
    try:
        working_folder = Path.cwd()
    except FileNotFoundError:  # the folder was removed while it was the current folder of a shell
        return None
    return _find_project(working_folder)


def explain_project() -> None:
    """Print the current project and its settings on standard error."""
    project = find_project()
    if project is None:
        say("no project: neither here nor above", err=True)
        return
    say(f"project {project.root.resolve()}", err=True)
    for name, value in project.settings.items():
        say(f"{project.file}: {name} = {value}", err=True)


@functools.cache
def _find_project(here: Path) -> ProjectFolder | None:
    owners = {os.geteuid(), 0, here.stat().st_uid}
    for folder in (here, *here.parents):
        root, file = Path(os.path.relpath(folder, here)), folder / FILE
        if os.path.lexists(file) and file.lstat().st_uid in owners:
            return ProjectFolder(root, _read(root / FILE))
        if (folder / "data").is_dir() and (folder / "evals" / "guidelines.md").is_file():
            # A folder of another user is no project: its graders would run as this user.
            return ProjectFolder(root, {}) if folder.lstat().st_uid in owners else None
    return None


def _read(file: Path) -> Mapping[str, str | int]:
    """Return the settings of a file.

    Raises:
        BadSettingsError: the file is not TOML, is too large, or has an invalid key or value.
    """
    if not file.is_file():
        raise BadSettingsError(f"{file}: is no file")
    with file.open("rb") as opened:
        content = opened.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise BadSettingsError(f"{file}: larger than {LARGEST_FILE} bytes")
    try:
        table = tomli.loads(content.decode())
    except (UnicodeDecodeError, tomli.TOMLDecodeError, RecursionError) as error:
        raise BadSettingsError(f"{file}: {error}") from error
    # Imported here, because most commands that find no file need neither.
    from leaderboard.project_settings import ProjectSettings  # noqa: PLC0415
    from records.files.problems import InvalidFieldsError, validate_fields  # noqa: PLC0415

    try:
        validate_fields(table, ProjectSettings)
    except InvalidFieldsError as error:
        raise BadSettingsError(f"{file}: {error}") from error
    return table


class SettingOption(click.Option):
    """An option whose default is a setting of the project."""

    def __init__(self, *arguments: Any, setting: str, **settings: Any) -> None:  # noqa: ANN401 - click's own
        """Store the name of the setting that has the default."""
        super().__init__(*arguments, **settings)
        self._setting = setting

    def get_default(self, ctx: click.Context, call: bool = True) -> Any:  # noqa: ANN401, FBT001, FBT002 - click's own
        """Return the value of the setting; if it has none, the default of the option.

        For help and completion, a settings file that cannot be used is ignored.
        """
        try:
            value = find_default(self._setting)
        except BadSettingsError:
            if not ctx.resilient_parsing:
                raise
            value = FOLDERS.get(self._setting)
        return super().get_default(ctx, call) if value is None else value

    def process_value(self, ctx: click.Context, value: Any) -> Any:  # noqa: ANN401 - click's own
        """Return the converted value; if a default value is refused, the message has its origin."""
        try:
            return super().process_value(ctx, value)
        except click.BadParameter as error:
            source = ctx.get_parameter_source(self.name or "")
            if source is not ParameterSource.DEFAULT:
                raise
            option, project = self.opts[-1], find_project()
            if project is None:
                origin = f"This folder is in no project: go to one, or give {option}."
            elif self._setting in project.settings:
                origin = f"{project.file} names it."
            else:
                origin = f"Give {option}, or name it in {project.file}."
            message = f"{error.message} {origin}"
            raise click.BadParameter(message, ctx, self) from error
