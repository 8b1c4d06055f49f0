"""`leaderboard init`: an empty project for a suite of a team's own."""

import shlex
from pathlib import Path

import click

from leaderboard.new_projects.new_project import (
    NewProject,
    check_project,
    find_requirement,
    name_suite,
    write_project,
)
from leaderboard.options import format_examples, json_option
from leaderboard.terminal.next_steps import say_next
from leaderboard.terminal.shell_commands import format_command_line_elsewhere
from leaderboard.terminal.streams import say, say_json
from records.text.numbers import format_count


@click.command(
    "init",
    epilog=format_examples(
        "leaderboard init board",
        'leaderboard init our-models --title "Our models" --address https://models.example.org',
    ),
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
@json_option
def command(*, folder: Path, title: str | None, address: str, category: str, as_json: bool) -> None:
    """Make FOLDER a project with one eval, its grader and the site's settings.

    Nothing else is needed to run, build and serve it: docs/another-benchmark.md goes on from here.
    """
    name = name_suite(folder)
    project = NewProject(
        title=title or name.replace("-", " ").capitalize(),
        name=name,
        category=category,
        address=address,
    )
    check_project(folder, project)
    written = write_project(folder, project)
    if as_json:
        say_json({"folder": str(folder), "files": [path.as_posix() for path in written]})
        return
    say(f"{folder}: {format_count(len(written), 'file')}")
    if (installed_from := find_requirement().file) is not None:
        say(
            f"requirements.txt names this program by {installed_from}, where it came from. "
            "Name a published wheel instead before other machines install it."
        )
    say_next(
        [
            f"cd {shlex.quote(str(folder))}",
            format_command_line_elsewhere("suite", "check", "--once"),
            format_command_line_elsewhere("run", "-m", "oracle"),
            format_command_line_elsewhere("serve"),
        ]
    )
