"""`leaderboard session judge`: models asked which status they would give sessions."""

from pathlib import Path
from typing import Any

import click

from leaderboard.asking_options import asking_options
from leaderboard.options import data_option, examples, json_option, split_names
from leaderboard.pasting import refuse_beside_resume
from leaderboard.session_options import selection, selection_options
from leaderboard.streams import say, say_json
from records.showing import counted


@click.command(
    "judge",
    epilog=examples(
        "leaderboard session judge -m anthropic/claude-opus-5.5 --tag auth --budget 2",
        "leaderboard session judge -m openai/qwen3 --api-base http://127.0.0.1:8080/v1",
        "leaderboard session judge -m openai/gpt-5 --rubric ours.md --plan",
        "leaderboard session judge --resume 4p2bzjf",
    ),
)
@asking_options
@click.option(
    "--rubric",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A text with the meaning of each status, in place of the default rubric.",
)
@selection_options
@click.option(
    "--seed",
    type=click.IntRange(0, 10**10 - 1),
    default=1,
    show_default=True,
    help="Gives the order in which sessions are asked.",
)
@data_option
@json_option
@click.pass_context
def command(  # noqa: PLR0913 - click gives each option by name
    context: click.Context,
    *,
    models: tuple[str, ...],
    rubric: Path | None,
    budget: float | None,
    concurrency: int | None,
    api_base: str | None,
    max_tokens: int | None,
    settings: tuple[str, ...],
    price: str | None,
    allow_changed: bool,
    seed: int,
    plan: bool,
    resume: str | None,
    data_root: Path,
    as_json: bool,
    **options: Any,  # noqa: ANN401 - as selection_options says
) -> int:
    """Ask models for the status of sessions: golden, correct or incorrect, or they abstain.

    A judge is sent the redacted messages alone: no model, label, verdict or reviewer. Opinions are
    kept in a record of their own and change no label; `session opinions` compares them with people.
    Each is on the disk as soon as it is there. Ends with 3 while an opinion is missing.
    """
    if resume is not None:
        refuse_beside_resume(context, "a judging", {"models", "rubric", "seed", "plan", *options})
    # Imported here: it takes seconds, and `--help` does not need it.
    from leaderboard import session_judging as judging  # noqa: PLC0415
    from leaderboard.asking_forecast import say_forecasts  # noqa: PLC0415
    from leaderboard.exits import DONE, INFRASTRUCTURE  # noqa: PLC0415
    from leaderboard.session_asking import AskedModels, asked_entries  # noqa: PLC0415
    from records.folder import DataFolder  # noqa: PLC0415
    from records.reader import read_opinions  # noqa: PLC0415
    from runner.models.terms import terms_of  # noqa: PLC0415

    data = DataFolder(data_root)
    terms = terms_of(max_tokens, settings, price)
    request = AskedModels(split_names(models), api_base, terms, budget, allow_changed)
    if resume is None:
        text = judging.read_rubric(rubric)
        entries = asked_entries(data, request, with_keys=False)
        prepared = judging.prepared_sessions(data, selection(options), text, seed)
        if plan:
            before = map(read_opinions, data.local.opinions_files())
            answers = (answer for opinions in before for answer in opinions.answers)
            say_forecasts(
                [session.prompt for session in prepared], entries, answers, as_json=as_json
            )
            return DONE
        begun = judging.begin(data, prepared, request, text, seed)
    else:
        begun = judging.go_on(data, resume, request)
    short = begun.opinions.opinions_id[:8]
    say(
        f"judging {short}: {counted(len(begun.opinions.items), 'session')}, "
        f"{counted(len(begun.entries), 'model')}",
        err=as_json,
    )
    done = judging.judge(data, begun, concurrency)
    if as_json:
        row = {"opinions": done.opinions.opinions_id, "sessions": len(done.opinions.items)}
        say_json({**row, "models": [entry.slug for entry in done.entries], "missing": done.missing})
    else:
        if done.missing:
            number = f"{counted(done.missing, 'opinion')} {'is' if done.missing == 1 else 'are'}"
            say(f"{number} missing: leaderboard session judge --resume {short}")
        opinions = counted(len(done.opinions.texts()), "opinion")
        say(f"{opinions}: leaderboard session opinions {short}")
    return INFRASTRUCTURE if done.missing else DONE
