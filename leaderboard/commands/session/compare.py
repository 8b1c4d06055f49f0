"""`leaderboard session compare`: models are asked the prompts of golden sessions."""

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
    "compare",
    epilog=format_examples(
        "leaderboard session compare -m anthropic/claude-opus-5.5 -m openai/gpt-5 --budget 2",
        "leaderboard session compare -m openai/qwen3 --api-base http://127.0.0.1:8080/v1",
        "leaderboard session compare -m anthropic/claude-opus-5.5 --plan   # what it may cost",
        "leaderboard session compare --resume 4p2bzjf",
    ),
)
@add_asking_options
@add_selection_options
@seed_option(help="The seed of the order and the sides in which people judge.")
@data_option
@json_option
@click.pass_context
def command(  # noqa: PLR0913 - click gives each option by name
    context: click.Context,
    *,
    resume: str | None,
    plan: bool,
    seed: int,
    data_root: Path,
    as_json: bool,
    **options: Any,  # noqa: ANN401 - as selection_options says
) -> int:
    """Ask models the judged request of golden sessions, and score each answer by token_f1.

    --status selects other sessions than golden ones; --model is the model that answered the
    session. Each answer is written to the disk at once. People judge pairs of answers at the desk
    of `leaderboard serve`, without names. Ends with 3 while an answer is missing.
    """
    settings = build_settings(options)
    if resume is not None:
        refuse_beside_resume(context, "a comparison", {"models", "seed", "plan", *options})
    # Imported here, because the import takes seconds and `--help` does not need it.
    from leaderboard.sessions import compare as comparing  # noqa: PLC0415
    from leaderboard.sessions.prompt_asking import say_forecasts  # noqa: PLC0415
    from records.reader import read_comparison  # noqa: PLC0415

    data = DataFolder(data_root)
    if resume is None:
        options["statuses"] = options["statuses"] or ("golden",)
        if plan:
            items = comparing.make_compared_sessions(data, build_selection(options))
            prompts = [comparing.build_prompt(item) for item in items]
            earlier = map(read_comparison, data.local.list_comparison_files())
            say_forecasts(data, settings, prompts, earlier, as_json=as_json)
            return DONE
        begun = comparing.begin(data, build_selection(options), settings, seed)
    else:
        begun = comparing.go_on(data, resume, settings)
    return begun.ask_and_report(settings, as_json=as_json)
