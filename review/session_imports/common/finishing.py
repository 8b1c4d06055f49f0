"""Sessions and problems of a file, made of drafts of conversations."""

from collections.abc import Callable, Iterator

from review.session_imports.common.adapter import ReadSession
from review.session_imports.common.drafts import Draft
from review.session_imports.common.reading import UNREADABLE, BadLine, describe_error
from review.session_imports.common.source_file import SourceFile


class Finishing:
    """The making of sessions from the drafts of one file."""

    def __init__(self, source: SourceFile) -> None:
        """Take the file of the drafts."""
        self._source = source
        self._identities: set[str] = set()

    def read(self, number: int, make: Callable[[], Draft]) -> Iterator[ReadSession | BadLine]:
        """Yield the session of the draft that ``make`` returns, and its problems."""
        try:
            draft = make()
        except UNREADABLE as error:
            yield self._source.report_problem(number, describe_error(error))
        else:
            yield from self.finish(number, draft)

    def finish(self, number: int, draft: Draft) -> Iterator[ReadSession | BadLine]:
        """Yield the session of a draft, and its problems.

        If an earlier session in the file has the same identity, this session gets none. Its id is
        then made of its number, so that neither session replaces the other.
        """
        for reason in draft.problems:
            yield self._source.report_problem(number, reason)
        if not draft.messages:
            counts = ", ".join(f"{count} {kind}" for kind, count in draft.left_out.items())
            reason = f"holds no message; left out: {counts}" if counts else "holds no message"
            is_wrong = bool(draft.problems) or not draft.may_be_empty
            yield self._source.report_problem(number, reason, wrong=is_wrong)
            return
        identity = None if draft.identity in self._identities else draft.identity
        if identity is not None:
            self._identities.add(identity)
        yield ReadSession(
            messages=draft.messages,
            identity=identity,
            place=number,
            session_id=draft.session_id,
            title=draft.title,
            model=draft.model,
            project=draft.project,
            part=draft.part,
            created_at=draft.created_at,
            tokens=draft.tokens,
            left_out=draft.left_out,
            labels=draft.labels,
        )
