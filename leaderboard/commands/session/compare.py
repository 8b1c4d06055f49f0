"""`leaderboard session compare`: the prompts of golden sessions put to other models."""

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
    "compare",
    epilog=examples(
        "leaderboard session compare -m anthropic/claude-opus-5.5 -m openai/gpt-5 --budget 2",
        "leaderboard session compare -m openai/qwen3 --api-base http://127.0.0.1:8080/v1",
        "leaderboard session compare -m anthropic/claude-opus-5.5 --plan   # what it may cost",
        "leaderboard session compare --resume 4p2bzjf",
    ),
)
@asking_options
@selection_options
@click.option(
    "--seed",
    type=click.IntRange(0, 10**10 - 1),
    default=1,
    show_default=True,
    help="Gives the order and the sides in which people judge.",
)
@data_option
@json_option
@click.pass_context
def command(  # noqa: PLR0913 - click gives each option by name
    context: click.Context,
    *,
    models: tuple[str, ...],
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
    """Ask models the judged request of golden sessions, and score each answer by token_f1.

    Golden sessions are taken where no --status is given; --model is the model that answered the
    session. Each answer is on the disk as soon as it is there. People judge pairs of answers
    in the desk of `leaderboard serve`, without names. Ends with 3 while an answer is missing.
    """
    if resume is not None:
        refuse_beside_resume(context, "a comparison", {"models", "seed", "plan", *options})
    # Imported here: it takes seconds, and `--help` does not need it.
    from leaderboard import session_comparing as comparing  # noqa: PLC0415
    from leaderboard.asking_forecast import say_forecasts  # noqa: PLC0415
    from leaderboard.exits import DONE, INFRASTRUCTURE  # noqa: PLC0415
    from leaderboard.session_asking import AskedModels, asked_entries  # noqa: PLC0415
    from records.folder import DataFolder  # noqa: PLC0415
    from records.reader import read_comparison  # noqa: PLC0415
    from runner.models.terms import terms_of  # noqa: PLC0415

    data = DataFolder(data_root)
    terms = terms_of(max_tokens, settings, price)
    asked = AskedModels(split_names(models), api_base, terms, budget, allow_changed)
    if resume is None:
        options["statuses"] = options["statuses"] or ("golden",)
        chosen = selection(options)
        if plan:
            entries = asked_entries(data, asked, with_keys=False)
            items = comparing.compared_sessions(data, chosen)
            before = map(read_comparison, data.local.comparison_files())
            answers = (answer for comparison in before for answer in comparison.answers)
            prompts = [comparing.prompt_of(item) for item in items]
            say_forecasts(prompts, entries, answers, as_json=as_json)
            return DONE
        comparison, entries = comparing.begin(data, chosen, asked, seed)
    else:
        comparison, entries = comparing.go_on(data, resume, asked)
    short = comparison.comparison_id[:8]
    say(
        f"comparison {short}: {counted(len(comparison.items), 'session')}, "
        f"{counted(len(entries), 'model')}",
        err=as_json,
    )
    found = comparing.compare(data, comparison, entries, concurrency)
    missing = len(found.items) * len(entries) - len(found.texts())
    if as_json:
        row = {"comparison": comparison.comparison_id, "sessions": len(comparison.items)}
        say_json({**row, "models": [entry.slug for entry in entries], "missing": missing})
    else:
        _say_answers(short, len(found.texts()), missing)
    return INFRASTRUCTURE if missing else DONE


def _say_answers(short: str, answers: int, missing: int) -> None:
    """Print how many answers a comparison has, and the commands that go on."""
    if missing:
        number = f"{counted(missing, 'answer')} {'is' if missing == 1 else 'are'}"
        say(f"{number} missing: leaderboard session compare --resume {short}")
    say(f"{counted(answers, 'answer')}: leaderboard session comparisons {short}")
