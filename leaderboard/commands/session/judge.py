"""`leaderboard session judge`: models are asked for the status of sessions."""

from pathlib import Path
from typing import Any

import click

from leaderboard.options import data_option, format_examples, json_option
from leaderboard.sessions.asking_options import add_asking_options, build_settings, seed_option
from leaderboard.sessions.selection_options import add_selection_options, build_selection
from leaderboard.terminal.exit_codes import DONE
from leaderboard.terminal.shell_commands import refuse_beside_resume
from records.files.data_folder import DataFolder


@click.command(
    "judge",
    epilog=format_examples(
        "leaderboard session judge -m anthropic/claude-opus-5.5 --tag auth --budget 2",
        "leaderboard session judge -m openai/qwen3 --api-base http://127.0.0.1:8080/v1",
        "leaderboard session judge -m openai/gpt-5 --rubric ours.md --plan",
        "leaderboard session judge --resume 4p2bzjf",
    ),
)
@add_asking_options
@click.option(
    "--rubric",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A text with the meaning of each status, instead of the default rubric.",
)
@add_selection_options
@seed_option(help="The seed of the order of sessions.")
@data_option
@json_option
@click.pass_context
def command(  # noqa: PLR0913 - click gives each option by name
    context: click.Context,
    *,
    resume: str | None,
    plan: bool,
    rubric: Path | None,
    seed: int,
    data_root: Path,
    as_json: bool,
    **options: Any,  # noqa: ANN401 - as selection_options says
) -> int:
    """Ask models for the status of sessions: golden, correct or incorrect, or they abstain.

    A judge gets only the redacted messages, without model, label, verdict or reviewer. Opinions are
    stored in a record of their own and change no label; `session opinions` compares them with
    people. Each opinion is written to the disk at once. Ends with 3 while an opinion is missing.
    """
    settings = build_settings(options)
    if resume is not None:
        refuse_beside_resume(context, "a judging", {"models", "rubric", "seed", "plan", *options})
    # Imported here, because the import takes seconds and `--help` does not need it.
    from leaderboard.sessions import judge as judging  # noqa: PLC0415
    from leaderboard.sessions.prompt_asking import say_forecasts  # noqa: PLC0415
    from records.reader import read_opinions  # noqa: PLC0415

    data = DataFolder(data_root)
    if resume is None:
        text = judging.read_rubric(rubric)
        prepared = judging.prepare_sessions(data, build_selection(options), text, seed)
        if plan:
            prompts = [session.prompt for session in prepared]
            earlier = map(read_opinions, data.local.list_opinions_files())
            say_forecasts(data, settings, prompts, earlier, as_json=as_json)
            return DONE
        begun = judging.begin(data, prepared, settings, text, seed)
    else:
        begun = judging.go_on(data, resume, settings)
    return begun.ask_and_report(settings, as_json=as_json)
