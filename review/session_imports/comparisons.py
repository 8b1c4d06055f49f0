"""Records of `leaderboard session compare`: each answer becomes a session."""

from collections.abc import Iterator

from records.errors import InvalidRecordError
from records.reader import parse_record
from records.sessions.asked import ComparedAnswer, ComparedSession, ModelComparison
from review.session_imports.common.drafts import Draft
from review.session_imports.common.source_file import SourceFile

NAME = "comparison"


def recognises(source: SourceFile) -> bool:
    """Return whether the file is one object that has the id of a comparison."""
    return "comparison_id" in source.fields


def read(source: SourceFile) -> Iterator[Draft]:
    """Yield the session of each answer, and report each missing answer."""
    try:
        comparison = parse_record(ModelComparison, source.path, source.data)
    except InvalidRecordError as error:
        reason = f"{error.field}: {error.reason}" if error.field else error.reason
        source.report_problem(0, reason)
        return
    items = {item.session: item for item in comparison.items}
    for answer in comparison.answers:
        if answer.fault is None:
            yield _read_session(comparison, items[answer.session], answer)
        else:
            reason = f"{answer.model} gave no answer to {answer.session}: {answer.fault.kind}"
            source.report_problem(0, reason, wrong=False)


def _read_session(
    comparison: ModelComparison, item: ComparedSession, answer: ComparedAnswer
) -> Draft:
    """Return a session with request, answer and expected output, which nobody has judged."""
    draft = Draft(
        identity=f"{comparison.comparison_id}/{item.session}/{answer.model}",
        part=item.session,
        labels={"expected_output": item.expected},
    )
    for part in item.messages:
        draft.add(part.role, part.content)
    made = answer.generation
    draft.add(
        "assistant",
        answer.answer or "",
        at=answer.at,
        model=answer.model,
        tokens=made.tokens if made else None,
        cost_usd=made.cost_usd if made else None,
        duration_s=made.duration_s if made else None,
    )
    return draft
