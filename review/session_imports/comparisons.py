"""Records of `leaderboard session compare`: a session of each answer, to be judged and exported."""

from collections.abc import Iterator
from pathlib import Path

from records.comparison import ComparedAnswer, ComparedSession, ModelComparison
from records.errors import InvalidRecordError
from records.reader import parse_comparison
from records.session import FromFile, Session, SessionMessage
from review.session_imports.reading import BadLine, file_digest, made_session

NAME = "comparison"


def fits(data: bytes) -> bool:
    """Say whether a file looks like this."""
    return b'"comparison_id"' in data[:1000]


def sessions(path: Path, data: bytes) -> Iterator[Session | BadLine]:
    """Yield the session of each answer, and which are missing."""
    try:
        comparison = parse_comparison(path, data)
    except InvalidRecordError as error:
        yield BadLine(path, 0, f"{error.field}: {error.reason}" if error.field else error.reason)
        return
    items = {one.session: one for one in comparison.items}
    digest = file_digest(data)
    for answer in comparison.answers:
        if answer.fault is None:
            yield _session(path, digest, comparison, items[answer.session], answer)
        else:
            reason = f"{answer.model} gave no answer to {answer.session}: {answer.fault.kind}"
            yield BadLine(path, 0, reason, wrong=False)


def _session(
    path: Path,
    digest: str,
    comparison: ModelComparison,
    item: ComparedSession,
    answer: ComparedAnswer,
) -> Session:
    """Return what was asked and answered, with what was expected; nobody judged it."""
    asked = [SessionMessage(role=one.role, text=one.content) for one in item.messages]
    made = answer.generation
    said = SessionMessage(
        role="assistant",
        text=answer.answer or "",
        at=answer.at,
        model=answer.model,
        tokens=made.tokens if made else None,
        cost_usd=made.cost_usd if made else None,
        duration_s=made.duration_s if made else None,
    )
    identity = f"{comparison.comparison_id}/{item.session}/{answer.model}"
    found = made_session(path, digest, NAME, [*asked, said], identity=identity)
    source = FromFile(kind="file", importer=NAME, name=path.name, digest=digest, part=item.session)
    return found.model_copy(update={"source": source, "expected_output": item.expected})
