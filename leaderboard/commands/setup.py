"""The commands that prepare: `leaderboard init`, `keys`, `cluster` and `completion`."""

import json
import re
import shlex
import sys
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import distribution
from pathlib import Path
from typing import Literal, cast

import click
from click.shell_completion import ShellComplete, get_completion_class

from generator.read.site_settings import SiteSettings
from leaderboard import options
from leaderboard.api.keys import SCOPES, KeyStore, Scope
from leaderboard.api.run_shapes import Channel
from leaderboard.terminal.error_messages import DISTRIBUTION
from leaderboard.terminal.shell_commands import format_command_line_elsewhere, say_next
from leaderboard.terminal.streams import say, say_result
from records.files.data_folder import DataFolder
from records.files.name_patterns import EVAL_NAME
from records.files.problems import InvalidFieldsError, validate_fields
from records.suites.canary import format_canary_line
from records.text.numbers import format_count
from runner.evals import canary

_FILES = Path(__file__).parents[1] / "new_projects" / "files"
_ENDING = ".template"
_HIDDEN = ("gitignore", "github")
"""Names that begin with a dot in a project, and here would be obeyed by git and by GitHub."""
_OTHER_CHARACTERS = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME = 40


def name_suite(folder: Path) -> str:
    """Return the short name of a suite in a project's folder."""
    words = _OTHER_CHARACTERS.sub("-", folder.resolve().name.lower()).strip("-")
    return words[:_LONGEST_NAME].strip("-") or "suite"


@options.command(
    "leaderboard init board",
    'leaderboard init our-models --title "Our models" --address https://models.example.org',
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--title", help="The title of the site.  [default: made of the folder's name]")
@click.option(
    "--address",
    default="https://leaderboard.example",
    show_default=True,
    help="Where the site will be published.",
)
@click.option(
    "--category", default="basics", show_default=True, help="The first category of evals."
)
@options.json_option
def init_command(*, folder: Path, title: str | None, address: str, category: str) -> None:
    """Make FOLDER a project with one eval, its grader and the site's settings.

    Nothing else is needed to run, build and serve it: docs/another-benchmark.md goes on from here.
    """
    name = name_suite(folder)
    title = title or name.replace("-", " ").capitalize()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise click.ClickException(f"{folder}: is not empty: choose a new folder")
    for option, text in (("--title", title), ("--address", address)):
        if not text.isprintable() or not text.strip() or set(text) & {'"', "\\", "@"}:
            raise click.ClickException(
                f"{option}: must be a line of text without quotation marks, backslashes and @"
            )
    try:
        validate_fields({"title": title, "tagline": "-", "address": address}, SiteSettings)
    except InvalidFieldsError as error:
        raise click.ClickException(f"--{error}") from error
    if re.fullmatch(EVAL_NAME, f"000-{category}/000-greeting") is None:
        raise click.ClickException(f"--category {category}: must be snake_case, such as basics")
    # A program that was installed from a file or folder may be in no index.
    installed = distribution(DISTRIBUTION)
    noted = installed.read_text("direct_url.json")
    installed_from = None if noted is None else json.loads(noted).get("url")
    is_of_index = not isinstance(installed_from, str)
    source = f"=={installed.version}" if is_of_index else f" @ {installed_from}"
    guid = str(uuid.uuid4())
    marks = {
        "@TITLE@": title,
        "@NAME@": name,
        "@CATEGORY@": category,
        "@ADDRESS@": address,
        "@CANARY@": guid,
        "@REQUIREMENT@": f"{DISTRIBUTION}[run,serve]{source}",
        "@PYTHON@": f"{sys.version_info[0]}.{sys.version_info[1]}",
    }
    written: list[Path] = []
    for source in sorted(_FILES.rglob(f"*{_ENDING}")):
        template = source.relative_to(_FILES).as_posix()
        first, slash, rest = template.removesuffix(_ENDING).partition("/")
        dotted = f".{first}" if first in _HIDDEN else first
        path = Path(f"{dotted}{slash}{rest}".replace("@CATEGORY@", category))
        text = source.read_text("utf-8")
        for mark, value in marks.items():
            text = text.replace(mark, value)
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
        written.append(path)
    canary.mark(folder / "evals", format_canary_line(name, guid))
    written.sort()
    lines = [f"{folder}: {format_count(len(written), 'file')}"]
    if not is_of_index:
        lines.append(
            f"requirements.txt names this program by {installed_from}, where it came from. "
            "Name a published wheel instead before other machines install it."
        )
    say_result({"folder": str(folder), "files": [path.as_posix() for path in written]}, lines)
    say_next(
        [
            f"cd {shlex.quote(str(folder))}",
            format_command_line_elsewhere("suite", "check", "--once"),
            format_command_line_elsewhere("run", "-m", "oracle"),
            format_command_line_elsewhere("serve"),
        ]
    )


@options.command(
    "leaderboard keys create laptop --days 90                    # reads labelled sessions",
    "leaderboard keys create ci --scope runs:write               # sends development runs",
    "leaderboard keys create board --scope runs:write --channel production",
)
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(SCOPES),
    multiple=True,
    default=("sessions:read",),
    show_default=True,
    help="A permission of the key; repeatable.",
)
@click.option(
    "--channel",
    type=click.Choice(["development", "production"]),
    default="development",
    show_default=True,
    help="The runs that the key may read and send: those of data/local/, or published ones.",
)
@click.option("--days", type=click.IntRange(1, 3650), help="Days of validity; else until revoked.")
@options.new_record_options
def create_command(
    *,
    name: str,
    scopes: Sequence[Scope],
    channel: Channel,
    days: int | None,
    data: DataFolder,
) -> None:
    """Create a key. It is printed once, and only its hash is stored."""
    key = KeyStore(data.keys_file).create(name, tuple(dict.fromkeys(scopes)), days, channel)
    say_result({"name": name, "key": key}, [key])
    say("store it now: it is shown only once", err=True)


@options.command("leaderboard keys list --json", "leaderboard keys list laptop --revoke")
@click.argument("name", required=False)
@click.option("--revoke", is_flag=True, help="Refuse the key NAME from now on.")
@options.record_options
def list_command(*, name: str | None, revoke: bool, data: DataFolder) -> None:
    """List the keys with their scopes, creation and expiry; with NAME, only this key."""
    store = KeyStore(data.keys_file)
    if revoke and name is None:
        raise click.UsageError("--revoke: name the key")
    if revoke and name is not None:
        store.revoke(name)
        say_result({"name": name, "revoked": True}, [f"{name} is revoked"])
        return
    keys = [key for key in store.read_keys() if name in {None, key.name}]
    now = datetime.now(UTC)
    lines: list[str] = []
    for key in keys:
        until = f"until {key.expires_at:%Y-%m-%d}" if key.expires_at else "until it is revoked"
        state = until if key.holds(now) else "not valid any more"
        used = f"used {key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never used"
        lines.append(
            f"{key.name:<40} {', '.join(key.scopes)} ({key.channel})  "
            f"since {key.created_at:%Y-%m-%d}, {state}, {used}"
        )
    rows = [key.model_dump(mode="json", exclude={"digest"}) for key in keys]
    say_result(rows, lines)


@options.command(
    "leaderboard cluster certificates cluster.yaml",
    'export DASK_CONFIG="$PWD/cluster.yaml"',
    "dask scheduler --protocol tls --port 8786 --no-dashboard --dashboard-address 127.0.0.1:0",
)
@click.argument("file", type=options.ANY_FILE)
def certificates_command(*, file: Path) -> None:
    """Write a new FILE with Dask's settings and a certificate, the same for all machines.

    Whoever has the file can run programs on every machine of the cluster. It holds for a year.
    """
    # Imported here: the package of certificates is in the extra `cluster`.
    from runner.cluster.certificates import write_certificates  # noqa: PLC0415

    write_certificates(file)
    say(str(file))
    say("copy it to each machine, and keep it like a password", err=True)


_PROGRAM = "leaderboard"
_VARIABLE = "_LEADERBOARD_COMPLETE"
"""The variable that click's scripts set when they ask the program for completions."""


@options.command(
    "leaderboard completion bash > ~/.leaderboard-completion.bash   # source it in ~/.bashrc",
    "leaderboard completion zsh > ~/.leaderboard-completion.zsh     # source it in ~/.zshrc",
    "leaderboard completion fish > ~/.leaderboard-completion.fish",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(context: click.Context, *, shell: Literal["bash", "zsh", "fish"]) -> None:
    """Print the script that lets SHELL complete commands, options and choices."""
    completion = cast("type[ShellComplete]", get_completion_class(shell))
    say(completion(context.find_root().command, {}, _PROGRAM, _VARIABLE).source())
