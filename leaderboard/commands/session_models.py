"""The commands `leaderboard session judge`, `compare` and `opinions`."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from generator.scores.intervals import compute_session_interval
from leaderboard import options
from leaderboard.sessions import session_options
from leaderboard.sessions.opinions import (
    build_agreement_rows,
    find_people_statuses,
    format_agreement_lines,
    list_differing_sessions,
    read_judged_sessions,
)
from leaderboard.terminal.shell_commands import refuse_beside_resume
from leaderboard.terminal.streams import say_result
from records.files.data_folder import DataFolder
from records.reader import read_record
from records.sessions.asked import ModelComparison, SessionOpinions
from records.text.numbers import format_count, format_dollars
from review.audits import AuditTasks
from review.comparisons import ComparedRow, ComparisonStore, make_comparison_rows
from review.store import SessionStore


@options.command(
    "leaderboard session judge -m anthropic/claude-opus-5.5 --tag auth --budget 2",
    "leaderboard session judge -m openai/qwen3 --api-base http://127.0.0.1:8080/v1",
    "leaderboard session judge -m openai/gpt-5 --rubric ours.md --plan",
    "leaderboard session judge --resume 4p2bzjf",
)
@session_options.add_asking_options
@click.option(
    "--rubric",
    type=options.FILE,
    help="A text with the meaning of each status, instead of the default rubric.",
)
@session_options.add_selection_options
@session_options.seed_option(help="The seed of the order of sessions.")
@options.record_options
@click.pass_context
def judge_command(  # noqa: PLR0913 - click gives each option by name
    context: click.Context,
    *,
    resume: str | None,
    plan: bool,
    rubric: Path | None,
    seed: int,
    data: DataFolder,
    **given: Any,  # noqa: ANN401 - as session_options says
) -> int:
    """Ask models for the status of sessions: golden, correct or incorrect, or they abstain.

    A judge gets only the redacted messages, without model, label, verdict or reviewer. Opinions are
    stored in a record of their own and change no label; `session opinions` compares them with
    people. Each opinion is written to the disk at once. Ends with 3 while an opinion is missing.
    """
    settings = session_options.build_settings(given)
    if resume is not None:
        refuse_beside_resume(context, "a judging", {"models", "rubric", "seed", "plan", *given})
    # Imported here, because the import takes seconds and `--help` does not need it.
    from leaderboard.sessions.judge import Judging  # noqa: PLC0415

    judging = Judging(data, settings, seed, rubric)
    return judging.run(session_options.build_selection(given), resume, plan=plan)


@options.command(
    "leaderboard session compare -m anthropic/claude-opus-5.5 -m openai/gpt-5 --budget 2",
    "leaderboard session compare -m openai/qwen3 --api-base http://127.0.0.1:8080/v1",
    "leaderboard session compare -m anthropic/claude-opus-5.5 --plan   # what it may cost",
    "leaderboard session compare --resume 4p2bzjf",
)
@session_options.add_asking_options
@session_options.add_selection_options
@session_options.seed_option(help="The seed of the order and the sides in which people judge.")
@options.record_options
@click.pass_context
def compare_command(
    context: click.Context,
    *,
    resume: str | None,
    plan: bool,
    seed: int,
    data: DataFolder,
    **given: Any,  # noqa: ANN401 - as session_options says
) -> int:
    """Ask models the judged request of golden sessions, and score each answer by token_f1.

    --status selects other sessions than golden ones; --model is the model that answered the
    session. Each answer is written to the disk at once. People judge pairs of answers at the desk
    of `leaderboard serve`, without names. Ends with 3 while an answer is missing.
    """
    settings = session_options.build_settings(given)
    if resume is not None:
        refuse_beside_resume(context, "a comparison", {"models", "seed", "plan", *given})
    # Imported here, because the import takes seconds and `--help` does not need it.
    from leaderboard.sessions.compare import Comparing  # noqa: PLC0415

    given["statuses"] = given["statuses"] or ("golden",)
    comparing = Comparing(data, settings, seed)
    return comparing.run(session_options.build_selection(given), resume, plan=plan)


_UNKNOWN = "\N{EN DASH}"


def format_compared_row(row: ComparedRow) -> str:
    """Return a row as a line of text, with a dash for an unknown value."""
    faults = f", {format_count(row.faults, 'fault')}" if row.faults else ""
    cost = _UNKNOWN
    if row.cost_usd is not None:
        cost = f"{format_dollars(row.cost_usd)} for {row.cost_known_for}"
    people = _UNKNOWN
    if row.preferred is not None:
        preference = row.preferred
        people = (
            f"preferred {preference.share}; "
            f"{preference.wins} won, {preference.losses} lost, {preference.equal} equal"
        )
    return (
        f"{row.model}  n={row.answers}{faults}  mean {row.score or _UNKNOWN}  cost {cost}  "
        f"people: {people}"
    )


@options.command(
    "leaderboard session opinions",
    "leaderboard session opinions 4p2bzjf",
    "leaderboard session opinions --comparisons",
)
@click.argument("beginning", metavar="[ID]", required=False)
@click.option("--comparisons", is_flag=True, help="Instead show what `session compare` found out.")
@options.record_options
def opinions_command(*, beginning: str | None, comparisons: bool, data: DataFolder) -> None:
    """Compare opinions of judge models with statuses of people; without an ID, list all records.

    ID is the beginning of an id that `session judge` printed. Each judge has a table of people's
    statuses and its own, and accuracy and Cohen's kappa with 95% intervals: in all, by tag and by
    the model that answered. Sessions without a status of people are counted separately.

    With --comparisons, each model has a row with the number of answers, their mean score with a 95%
    interval, their cost, and how often people found them better, worse or equal. ID is then the
    beginning of an id that `session compare` printed.
    """
    files = data.local.comparisons if comparisons else data.local.opinions
    paths = [files.find_file(beginning)] if beginning else [*files.list_files()]
    records: list[dict[str, object]] = []
    lines: list[str] = []
    if comparisons:
        store = ComparisonStore(data.local)
        for path in paths:
            comparison = read_record(ModelComparison, path)
            events = store.read_log(comparison.comparison_id)
            rows = make_comparison_rows(comparison, events, compute_session_interval)
            records.append(
                {
                    "comparison": comparison.comparison_id,
                    "began_at": comparison.began_at.isoformat(),
                    "metric": comparison.metric,
                    "sessions": len(comparison.items),
                    "models": [asdict(model_row) for model_row in rows],
                }
            )
            sessions = f"{format_count(len(comparison.items), 'session')}, {comparison.metric}"
            began = f"{comparison.comparison_id}  {comparison.began_at:%Y-%m-%d}"
            lines += [f"{began}  {sessions}", *(f"  {format_compared_row(row)}" for row in rows)]
        nothing = "no comparison: leaderboard session compare -m MODEL begins one"
        say_result(records, lines or [nothing])
        return
    sessions_store = SessionStore(data)
    for path in paths:
        opinions = read_record(SessionOpinions, path)
        number = format_count(len(opinions.items), "session")
        answers = format_count(len(opinions.get_answer_texts()), "opinion")
        began = f"{opinions.opinions_id}  {opinions.began_at:%Y-%m-%d}"
        lines.append(f"{began}  {number}, {answers}, rubric {opinions.rubric_digest[:8]}")
        record: dict[str, object] = {
            "opinions": opinions.opinions_id,
            "began_at": opinions.began_at.isoformat(),
            "rubric_digest": opinions.rubric_digest,
            "sessions": len(opinions.items),
            "models": [model.slug for model in opinions.models],
            "answers": len(opinions.get_answer_texts()),
            "spent_usd": opinions.spent_usd,
        }
        if beginning:
            sessions = read_judged_sessions(sessions_store, opinions)
            waiting = AuditTasks(sessions_store).group_ids(None).hidden
            people_say = find_people_statuses(opinions, sessions, waiting)
            agreement = build_agreement_rows(opinions, sessions, people_say)
            lines += format_agreement_lines(agreement)
            record["agreement"] = [asdict(group) for group in agreement]
            record["differing"] = [
                {"session": session, "judge": judge, "people": people, "opinion": status}
                for session, judge, people, status in list_differing_sessions(opinions, people_say)
            ]
        records.append(record)
    nothing = "no opinions: leaderboard session judge -m MODEL asks for them"
    say_result(records, lines or [nothing])
