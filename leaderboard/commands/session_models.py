"""The commands `leaderboard session judge`, `compare` and `opinions`.

The last shows the agreement of judge models with people: tables of statuses, in all, by tag and by
model.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import click

from generator.scores.agreement import compute_cohens_kappa
from generator.scores.intervals import compute_session_interval, compute_share_interval
from leaderboard import options
from leaderboard.sessions import session_lookup
from leaderboard.terminal.shell_commands import refuse_beside_resume
from leaderboard.terminal.streams import say_result
from records.errors import MissingRecordError
from records.files.data_folder import DataFolder
from records.reader import read_record
from records.sessions.asked import ModelComparison, ModelOpinion, OpinionStatus, SessionOpinions
from records.sessions.session import EvalStatus
from records.text.numbers import format_count, format_dollars, format_table_lines
from review.audits import AuditTasks
from review.comparisons import ComparedRow, ComparisonStore, IntervalEstimate, make_comparison_rows
from review.labeled_session import LabeledSession
from review.store import SessionStore
from review.turns import find_judged_turn


@options.command(
    "leaderboard session judge -m anthropic/claude-opus-5.5 --tag auth --budget 2",
    "leaderboard session judge -m openai/qwen3 --api-base http://127.0.0.1:8080/v1",
    "leaderboard session judge -m openai/gpt-5 --rubric ours.md --plan",
    "leaderboard session judge --resume 4p2bzjf",
)
@session_lookup.add_asking_options
@click.option(
    "--rubric",
    type=options.FILE,
    help="A text with the meaning of each status, instead of the default rubric.",
)
@session_lookup.add_selection_options
@session_lookup.seed_option(help="The seed of the order of sessions.")
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
    **given: Any,  # noqa: ANN401 - as session_lookup says
) -> int:
    """Ask models for the status of sessions: golden, correct or incorrect, or they abstain.

    A judge gets only the redacted messages, without model, label, verdict or reviewer. Opinions are
    stored in a record of their own and change no label; `session opinions` compares them with
    people. Each opinion is written to the disk at once. Ends with 3 while an opinion is missing.
    """
    settings = session_lookup.build_settings(given)
    if resume is not None:
        refuse_beside_resume(context, "a judging", {"models", "rubric", "seed", "plan", *given})
    # Imported here, because the import takes seconds and `--help` does not need it.
    from leaderboard.sessions.judge_and_compare import Judging  # noqa: PLC0415

    judging = Judging(data, settings, seed, rubric)
    return judging.run(session_lookup.build_selection(given), resume, plan=plan)


@options.command(
    "leaderboard session compare -m anthropic/claude-opus-5.5 -m openai/gpt-5 --budget 2",
    "leaderboard session compare -m openai/qwen3 --api-base http://127.0.0.1:8080/v1",
    "leaderboard session compare -m anthropic/claude-opus-5.5 --plan   # what it may cost",
    "leaderboard session compare --resume 4p2bzjf",
)
@session_lookup.add_asking_options
@session_lookup.add_selection_options
@session_lookup.seed_option(help="The seed of the order and the sides in which people judge.")
@options.record_options
@click.pass_context
def compare_command(
    context: click.Context,
    *,
    resume: str | None,
    plan: bool,
    seed: int,
    data: DataFolder,
    **given: Any,  # noqa: ANN401 - as session_lookup says
) -> int:
    """Ask models the judged request of golden sessions, and score each answer by token_f1.

    --status selects other sessions than golden ones; --model is the model that answered the
    session. Each answer is written to the disk at once. People judge pairs of answers at the desk
    of `leaderboard serve`, without names. Ends with 3 while an answer is missing.
    """
    settings = session_lookup.build_settings(given)
    if resume is not None:
        refuse_beside_resume(context, "a comparison", {"models", "seed", "plan", *given})
    # Imported here, because the import takes seconds and `--help` does not need it.
    from leaderboard.sessions.judge_and_compare import Comparing  # noqa: PLC0415

    given["statuses"] = given["statuses"] or ("golden",)
    comparing = Comparing(data, settings, seed)
    return comparing.run(session_lookup.build_selection(given), resume, plan=plan)


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
            judged: dict[str, LabeledSession] = {}
            for item in opinions.items:
                with suppress(MissingRecordError):  # the session was deleted
                    judged[item.session] = sessions_store.read(item.session)
            waiting = AuditTasks(sessions_store).group_ids(None).hidden
            people_say = find_people_statuses(opinions, judged, waiting)
            agreement = build_agreement_rows(opinions, judged, people_say)
            lines += format_agreement_lines(agreement)
            record["agreement"] = [asdict(group) for group in agreement]
            record["differing"] = [
                {"session": session, "judge": judge, "people": people, "opinion": status}
                for session, judge, people, status in list_differing_sessions(opinions, people_say)
            ]
        records.append(record)
    nothing = "no opinions: leaderboard session judge -m MODEL asks for them"
    say_result(records, lines or [nothing])


PEOPLE_SAY = (EvalStatus.GOLDEN, EvalStatus.CORRECT, EvalStatus.INCORRECT)
"""Statuses of people, which are the rows of tables."""

JUDGES_SAY = tuple(OpinionStatus)
"""Statuses of judges, which are the columns of tables. The first columns are those of people."""

_VERDICTS = JUDGES_SAY[: len(PEOPLE_SAY)]

Apart = Literal["not_judged", "disputed", "changed", "waits_blind"]
"""The reason why a session has no status of people. No person judged it; reviewers differ; the
transcript changed or the session was deleted; an audit still needs a blind judgement of it."""

PeopleSay = EvalStatus | Apart

_APART: Mapping[Apart, str] = {
    "not_judged": "not judged by a person",
    "disputed": "disputed between reviewers",
    "changed": "changed or deleted since",
    "waits_blind": "waiting for an audit",
}


@dataclass(frozen=True, slots=True)
class SessionGroup:
    """A group of sessions for which agreement is measured."""

    kind: Literal["all", "tag", "answered_by"]
    name: str = ""
    """The tag, or the model that answered; empty for all sessions."""


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """The agreement of one judge with people on one group of sessions."""

    judge: str
    group: SessionGroup
    table: Sequence[Sequence[int]]
    """Counts by people's status (`PEOPLE_SAY`) and the judge's status (`JUDGES_SAY`)."""
    pairs: int
    """Number of sessions with a verdict of both."""
    agreed: int
    """Number of sessions with the same verdict of both."""
    accuracy: IntervalEstimate | None
    """The share of pairs that agree; None without pairs."""
    kappa: IntervalEstimate | None
    """Cohen's kappa of the pairs; None if it is not defined."""
    abstained: int
    unreadable: int
    without_answer: int
    """Number of sessions without an answer of the judge, because of a fault or not asked yet."""
    apart: Mapping[Apart, int]
    """Numbers of sessions without a status of people, by reason; no other number has them."""


def find_people_statuses(
    opinions: SessionOpinions, sessions: Mapping[str, LabeledSession], waiting: frozenset[str]
) -> dict[str, PeopleSay]:
    """Return the status that people gave each session of a record, or why it has none.

    Args:
        opinions: the record.
        sessions: the sessions of the record that still exist, with their labels.
        waiting: ids of sessions that still need a blind judgement for an audit.
    """
    return {
        item.session: _find_people_status(
            sessions.get(item.session), item.seen, waits=item.session in waiting
        )
        for item in opinions.items
    }


def build_agreement_rows(
    opinions: SessionOpinions,
    sessions: Mapping[str, LabeledSession],
    people: Mapping[str, PeopleSay],
) -> list[AgreementRow]:
    """Return the rows of each judge: for all sessions, by tag, then by the model that answered."""
    by_tag: defaultdict[str, list[str]] = defaultdict(list)
    by_model: defaultdict[str, list[str]] = defaultdict(list)
    for item in opinions.items:
        labeled = sessions.get(item.session)
        if labeled is None:
            continue
        for tag in set(labeled.session.eval_tags):
            by_tag[tag].append(item.session)
        if labeled.session.model is not None:
            by_model[labeled.session.model].append(item.session)
    groups = {
        SessionGroup("all"): [item.session for item in opinions.items],
        **{SessionGroup("tag", name): by_tag[name] for name in sorted(by_tag)},
        **{SessionGroup("answered_by", name): by_model[name] for name in sorted(by_model)},
    }
    by_place = {(opinion.session, opinion.model): opinion for opinion in opinions.answers}
    return [
        _build_row(model.slug, group, members, people, by_place)
        for model in opinions.models
        for group, members in groups.items()
    ]


def list_differing_sessions(
    opinions: SessionOpinions, people: Mapping[str, PeopleSay]
) -> list[tuple[str, str, EvalStatus, OpinionStatus]]:
    """Return session, judge, people's status and judge's status of each pair that differs."""
    rows: list[tuple[str, str, EvalStatus, OpinionStatus]] = []
    for opinion in opinions.answers:
        given, status = people[opinion.session], opinion.status
        if not isinstance(given, EvalStatus) or status is None or status not in _VERDICTS:
            continue
        if status.value != given.value:
            rows.append((opinion.session, opinion.model, given, status))
    return sorted(rows)


def _find_people_status(labeled: LabeledSession | None, seen: str, *, waits: bool) -> PeopleSay:
    """Return the status that people gave a session, or why it has none."""
    if waits:
        return "waits_blind"
    if labeled is None or labeled.transcript != seen:
        return "changed"
    turn = find_judged_turn(labeled.session)
    own = labeled.turns.get(turn.number, {}).get("evalStatus") if turn else None
    if own not in {None, EvalStatus.NEEDS_REVIEW.value}:
        return EvalStatus(str(own))  # the turn's own status comes before the session's
    if labeled.differing:
        return "disputed"
    status = labeled.session.eval_status
    if labeled.is_unjudged or status is EvalStatus.NEEDS_REVIEW:
        return "not_judged"
    return status


def _build_row(
    judge: str,
    group: SessionGroup,
    members: Sequence[str],
    people: Mapping[str, PeopleSay],
    opinions: Mapping[tuple[str, str], ModelOpinion],
) -> AgreementRow:
    cells: Counter[tuple[EvalStatus, OpinionStatus]] = Counter()
    apart: Counter[Apart] = Counter()
    without_answer = 0
    for session in members:
        status = people[session]
        opinion = opinions.get((session, judge))
        if not isinstance(status, EvalStatus):
            apart[status] += 1
        elif opinion is None or opinion.status is None:
            without_answer += 1
        else:
            cells[status, opinion.status] += 1
    table = [[cells[person, judged] for judged in JUDGES_SAY] for person in PEOPLE_SAY]
    square = [row[: len(PEOPLE_SAY)] for row in table]
    pairs = sum(map(sum, square))
    agreed = sum(square[at][at] for at in range(len(square)))
    accuracy = None
    if pairs:
        bounds = compute_share_interval(agreed, pairs)
        accuracy = IntervalEstimate(agreed / pairs, bounds.low, bounds.high)
    kappa = compute_cohens_kappa(square)
    return AgreementRow(
        judge=judge,
        group=group,
        table=table,
        pairs=pairs,
        agreed=agreed,
        accuracy=accuracy,
        kappa=None
        if kappa is None
        else IntervalEstimate(kappa.value, kappa.interval.low, kappa.interval.high),
        abstained=sum(row[JUDGES_SAY.index(OpinionStatus.ABSTAIN)] for row in table),
        unreadable=sum(row[JUDGES_SAY.index(OpinionStatus.UNREADABLE)] for row in table),
        without_answer=without_answer,
        apart=dict(apart),
    )


def format_agreement_lines(rows: Sequence[AgreementRow]) -> Iterator[str]:
    """Yield the lines about each judge: a table over all sessions, then a line for each group."""
    for row in rows:
        if row.group.kind == "all":
            yield f"{row.judge}: {_format_agreement(row)}"
            head = ["people \\ judge", *JUDGES_SAY]
            counts = [
                [status, *map(str, cells)]
                for status, cells in zip(PEOPLE_SAY, row.table, strict=True)
            ]
            yield from (f"  {line}" for line in format_table_lines(head, counts))
            apart = [f"{number} {_APART[reason]}" for reason, number in sorted(row.apart.items())]
            if row.without_answer:
                apart.append(f"{row.without_answer} without an opinion")
            if apart:
                yield f"  apart: {', '.join(apart)}"
        else:
            kind = "tag" if row.group.kind == "tag" else "answered by"
            yield f"  {kind} {row.group.name}: {_format_agreement(row)}"


def _format_agreement(row: AgreementRow) -> str:
    return (
        f"{row.agreed} of {format_count(row.pairs, 'pair')} agree, "
        f"accuracy {row.accuracy or _UNKNOWN}, kappa {row.kappa or _UNKNOWN}"
    )
