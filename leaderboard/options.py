"""Options that several commands share."""

import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from leaderboard.command_groups import ProjectCommand, SharedOption, format_examples
from leaderboard.project import SettingOption, find_project
from leaderboard.terminal.streams import JSON
from records.files.data_folder import DataFolder
from records.shapes.carry_over_days import DEFAULT_DAYS, MOST_DAYS
from records.suites.levels import Level

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
"""A decorator of commands that adds one or more options."""

Value = TypeVar("Value")
"""The value of an option."""


def join_options(*options: Decorator) -> Decorator:
    """Return a decorator that adds the options to a command, in their order."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def command(*examples: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a command of a function, whose name is the command's."""
    return click.command(cls=ProjectCommand, epilog=format_examples(*examples))


FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
ANY_FOLDER = click.Path(file_okay=False, path_type=Path)
"""A folder that may be missing."""
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
ANY_FILE = click.Path(dir_okay=False, path_type=Path)
"""A file that may be missing."""


class SharedSetting(SharedOption, SettingOption):
    """An option of the whole program whose default is a setting of the project."""


_evals_option = partial(
    click.option,
    "--evals",
    "evals_root",
    cls=SharedSetting,
    setting="evals",
    show_default=True,
    help="The suite.",
)

evals_option = _evals_option(type=FOLDER)


def _check_given(context: click.Context, parameter: click.Parameter, value: Path) -> Path:
    """Refuse a missing folder, unless it is the default outside of a project.

    Raises:
        BadParameter: the folder is missing.
    """
    source = context.get_parameter_source(parameter.name or "")
    is_named = source is not ParameterSource.DEFAULT or find_project() is not None
    if is_named and not value.is_dir():
        raise click.BadParameter(f"Directory {str(value)!r} does not exist.", context, parameter)
    return value


evals_if_there_option = _evals_option(type=ANY_FOLDER, callback=_check_given)
"""For commands that show suites: outside of a project there may only be imported suites."""

evals_if_needed_option = _evals_option(type=ANY_FOLDER)
"""For commands that need the suite only for a part of their work, and check the folder then."""


class _DataPath(click.Path[Path]):
    """The path of a data folder, of which commands get a `DataFolder`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 - click's own
        """Return the data folder."""
        return DataFolder(super().convert(value, param, ctx))


_data_option = partial(click.option, "--data", cls=SharedSetting, setting="data", show_default=True)

data_option = _data_option(
    type=_DataPath(exists=True, file_okay=False, path_type=Path), help="The data folder."
)
"""For commands that read records: a folder that does not exist is an error."""

data_if_needed_option = _data_option(
    type=_DataPath(file_okay=False, path_type=Path), help="The data folder."
)
"""For commands that read records only in a part of their work, and check the folder then."""

_json_option = partial(
    click.option,
    "--json",
    "as_json",
    cls=SharedOption,
    is_flag=True,
    help="Print JSON, for machines.",
)


def _note_json(context: click.Context, parameter: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's own
    del parameter
    context.meta[JSON] = value


json_option = _json_option(expose_value=False, callback=_note_json)
"""The output functions of `leaderboard.terminal.streams` obey it."""

record_options = join_options(data_option, json_option)

new_data_option = _data_option(
    type=_DataPath(file_okay=False, path_type=Path),
    help="The data folder; it is created if it does not exist.",
)
"""For commands that write records."""

new_record_options = join_options(new_data_option, json_option)

templates_option = click.option(
    "--templates",
    cls=SharedSetting,
    setting="templates",
    type=FOLDER,
    show_default=True,
    help="Templates, assets and site.toml.",
)

out_option = click.option(
    "--out",
    cls=SettingOption,
    setting="site",
    type=ANY_FOLDER,
    show_default=True,
    help="The folder that the site is written to.",
)

sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(["bwrap", "docker", "none"]),
    default="bwrap",
    show_default=True,
    help="The sandbox for model-written code; the record names it.",
)

backend_option = click.option(
    "--backend",
    type=click.Choice(["embedded", "local"]),
    default="embedded",
    show_default=True,
    help="The backend for answers: the emulator, or Convex's own local backend.",
)

graders_option = click.option(
    "--graders",
    cls=SettingOption,
    setting="graders",
    type=click.IntRange(1, 64),
    default=3,
    show_default=True,
    help="Attempts graded at once; three keep two processors busy.",
)

workspaces_option = click.option(
    "--workspaces",
    cls=SettingOption,
    setting="workspaces",
    envvar="OUTPUT_TEMPDIR",
    type=ANY_FOLDER,
    help="The folder for workspaces; by default the system's temporary folder.",
)


def _check_cluster(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    """Refuse the address of no cluster, and of one that anybody on the network could use."""
    del context, parameter
    if value is not None:
        # Commands without a cluster do not pay for these imports.
        from runner.cluster.address import parse_cluster  # noqa: PLC0415

        parse_cluster(value)
    return value


local_grading_options = join_options(
    backend_option, sandbox_option, graders_option, workspaces_option
)

grading_options = join_options(
    local_grading_options,
    click.option(
        "--cluster",
        metavar="ADDRESS",
        callback=_check_cluster,
        help="Grade by the workers of tls://HOST:8786, or by processes here: local:4.",
    ),
)
"""Options whose values a command passes as keywords to `GradingSettings`."""


def split_names(context: click.Context, parameter: click.Parameter, value: Sequence[str]) -> Any:  # noqa: ANN401 - click's own signature
    """Return the names in ``value``, which may have commas as in MODELS; each name once."""
    del context, parameter
    names = [name.strip() for part in value for name in part.split(",")]
    return tuple(dict.fromkeys(name for name in names if name))


model_option = partial(click.option, "-m", "--model", "models", multiple=True, callback=split_names)


def require_finite(
    number: float, noun: str, param: click.Parameter | None, ctx: click.Context | None
) -> float:
    """Return a number of an option.

    Raises:
        BadParameter: it is infinity or nan, and no ``noun``.
    """
    if not math.isfinite(number):
        raise click.BadParameter(f"{number} is no {noun}", ctx, param)
    return number


class Dollars(click.FloatRange):
    """An amount of money above zero."""

    name = "dollars"

    def __init__(self) -> None:
        super().__init__(0, min_open=True)

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's own signature
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        """Return the value as a finite number; infinity and nan are refused, as no cost is one."""
        return require_finite(super().convert(value, param, ctx), "amount of dollars", param, ctx)


class Checked(click.ParamType[Value]):
    """A value that a function reads from text; the function refuses a text by a ValueError."""

    name = "text"

    def __init__(self, read: Callable[[str], Value]) -> None:
        self._read = read

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's own signature
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Value:
        """Return the value that the text stands for."""
        try:
            return self._read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def match_pattern(pattern: str, form: str) -> Checked[str]:
    """Return the type of texts that match a pattern; ``form`` says in words which do."""

    def read(text: str) -> str:
        if re.fullmatch(pattern, text) is None:
            raise ValueError(form)
        return text

    return Checked(read)


_SHORTEST_REASON = 8
"""The fewest characters."""


def _read_reason(words: str) -> str:
    text = " ".join(words.split())
    if len(text) < _SHORTEST_REASON:
        raise ValueError(
            f"{text!r} is too short for a reason, which stays in the record for readers: give "
            f"at least {_SHORTEST_REASON} characters"
        )
    return text


why_option = partial(click.option, "--why", type=Checked(_read_reason))
"""The reason for an action, as a single line for readers of the site."""


publish_option = click.option(
    "--publish",
    is_flag=True,
    help="Move complete runs to data/ at their end; without it all runs stay in data/local/.",
)

why_publish_option = why_option(
    help="The reason to publish a run that readers could not rely on; kept in the record.",
)


ahead_option = click.option(
    "--ahead",
    type=click.IntRange(1, 10_000),
    metavar="N",
    help="Most answers per provider that are requested and have no verdict yet.  "
    "[default: twice the requests it begins with, and 2 for each grader]",
)

budget_option = partial(click.option, "--budget", "budget_usd", type=Dollars())

samples_option = partial(
    click.option, "--samples", type=click.IntRange(1, 100), default=1, show_default=True
)

carry_over_option = partial(
    click.option,
    "--carry-over",
    "carry_over_days",
    is_flag=False,
    flag_value=DEFAULT_DAYS,
    type=click.IntRange(1, MOST_DAYS),
    metavar="[DAYS]",
)

request_options = join_options(
    click.option("--concurrency", type=click.IntRange(1, 1000), help="Most requests per provider."),
    click.option("--api-base", help="The address of a server with the OpenAI protocol."),
    click.option(
        "--max-tokens",
        type=click.IntRange(1, 10_000_000),
        metavar="N",
        help="Most tokens of a reply, for models given by id.",
    ),
    click.option(
        "--set",
        "parameters",
        multiple=True,
        metavar="KEY=VALUE",
        help="A parameter sent with every request, for models given by id; repeatable.",
    ),
    click.option(
        "--price",
        metavar="IN/OUT",
        help="Dollars per million tokens of input and output, for models given by id.",
    ),
    click.option(
        "--allow-changed-parameters",
        "allow_changed",
        is_flag=True,
        help="Ask even if a parameter is dropped or changed on its way to the provider.",
    ),
    click.option("--plan", is_flag=True, help="Only print the possible cost; no model is asked."),
)
"""Options about the requests of runs."""


class _Pattern(click.types.StringParamType):
    """A regular expression; a variable of the environment holds one, also with blanks."""

    def split_envvar_value(self, rv: str) -> list[str]:
        """Return the one pattern of a variable."""
        return [rv]


def _join_patterns(
    context: click.Context, parameter: click.Parameter, patterns: Sequence[str]
) -> str | None:
    """Return a pattern that matches what any of ``patterns`` matches; None without patterns."""
    del context, parameter
    if len(patterns) <= 1:
        return patterns[0] if patterns else None
    return "|".join(f"(?:{pattern})" for pattern in patterns)


make_filter_option = partial(
    click.option,
    "-f",
    "--filter",
    "pattern",
    type=_Pattern(),
    multiple=True,
    callback=_join_patterns,
    help="Regex over category/name; repeatable.",
)

group_options = join_options(
    click.option("-c", "--category", "categories", multiple=True, help="Only these; repeatable."),
    click.option(
        "--level",
        "levels",
        type=click.Choice([level.value for level in Level]),
        multiple=True,
        help="Only evals of these levels; repeatable.",
    ),
)
eval_options = join_options(make_filter_option(), group_options)
"""Options that choose evals of the suite."""

since_option = click.option(
    "--since", metavar="REV", help="Only evals that changed since this git revision."
)

all_runs_option = click.option(
    "--all", "everything", is_flag=True, help="All published runs of this program."
)

_ANY_PATH = click.Path(path_type=Path)
program_options = join_options(
    click.option("--data", cls=SharedOption, type=_ANY_PATH, help="The data folder."),
    click.option("--evals", "evals_root", cls=SharedOption, type=_ANY_PATH, help="The suite."),
    click.option(
        "--templates", cls=SharedOption, type=_ANY_PATH, help="Templates, assets and site.toml."
    ),
    _json_option(),
)
"""Options that any command may use; they may stand before or after it."""
