"""Which session comes next at the desk, and what an audit hides there."""

from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser

from leaderboard.comparison_table import interval_over_sessions
from records.audit import Audit, AuditItem, AuditStratum, audit_id
from records.folder import DataFolder
from records.run import StepName
from records.writer import write_audit
from review.desk.order import in_order, next_after
from review.desk.pages import Desk, alias_of
from review.index.index import WaitingSession
from review.selection import SessionSelection
from review.store import SessionStore
from tests.leaderboard.test_serve import new_project
from tests.review.desking import KillableServer, attempt, form_of, store_of, talk

RUN = "4p2bzjf5m6urabcd"


def test_the_order_is_as_stated() -> None:
    """Audits in their own order, disputes, flips, then the oldest; none stands twice."""
    waiting = [
        WaitingSession("oldest", disputed=False, flips=False),
        WaitingSession("flip", disputed=False, flips=True),
        WaitingSession("later", disputed=False, flips=False),
        WaitingSession("dispute", disputed=True, flips=True),
        WaitingSession("drawn", disputed=False, flips=False),
    ]
    ordered = in_order(waiting, ["judged", "drawn"], ["between"])
    assert ordered == ["judged", "drawn", "between", "dispute", "flip", "oldest", "later"]


@pytest.mark.parametrize(
    ("current", "following"), [(None, "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("gone", "a")]
)
def test_next_goes_round(current: str | None, following: str) -> None:
    """From the last one to the first that was left out."""
    assert next_after(["a", "b", "c"], current) == following


def test_nothing_is_next_where_only_the_present_one_is_left() -> None:
    """Nor where none is."""
    assert next_after(["a"], "a") is None
    assert next_after([], None) is None


def drawn(*numbers: int) -> Audit:
    """Return an audit that drew these attempts, which failed."""
    items = tuple(
        AuditItem(
            session=attempt(number).id,
            run_id=RUN,
            eval=f"001-queries/{number:03}-list",
            sample=1,
            outcome="failed",
            failed_step=StepName.TESTS,
            weight=1,
            reviewers=1,
        )
        for number in numbers
    )
    return Audit(
        schema_version=1,
        audit_id=audit_id("0123456789ab", 7),
        benchmark_version="0123456789ab",
        drawn_at=datetime(2026, 1, 1, tzinfo=UTC),
        seed=7,
        runs=(RUN,),
        strata=tuple(
            AuditStratum(eval=one.eval, outcome="failed", population=1, drawn=1)
            for one in sorted(items, key=lambda item: item.eval)
        ),
        steps={StepName.TESTS: len(items)},
        items=items,
    )


def test_what_an_audit_drew_is_judged_first_and_blind(tmp_path: Path) -> None:
    """In its order; neither its page nor a list tells its verdict before that."""
    project = new_project(tmp_path)
    store = store_of(project, [talk(100), attempt(1), attempt(2), attempt(3)])
    write_audit(store.folder, drawn(3, 1))
    server = KillableServer(project)
    address = server.start()
    first, second = attempt(3), attempt(1)
    try:
        with httpx.Client(base_url=address, timeout=120) as client:
            following = client.get("next").headers["location"]
            assert following == f"/review/blind/{alias_of(first.id)}"
            direct = client.get(f"sessions/{first.id}")
            assert direct.headers["location"] == following
            row = _row(client, first.title)
            assert "audit" in row
            assert "incorrect" not in row
            token = form_of(client, "sessions/session-0100")["token"]
            many = {"token": token, "filter": "", "id": first.id, "evalStatus": "golden"}
            assert "to be judged blind" in client.post("many", data=many).text
            path = following.removeprefix("/review/")
            saved = client.post(path, data={**form_of(client, path), "evalStatus": "incorrect"})
            after = client.get(saved.headers["location"].removeprefix("/review/"))
            assert after.headers["location"] == f"/review/blind/{alias_of(second.id)}"
            assert "incorrect" in _row(client, first.title)
    finally:
        server.kill()
    (event,) = store.read(first.id).events
    assert (event.blind, event.via, event.after) == (True, "desk", "incorrect")
    left = Desk(SessionStore(DataFolder(store.folder.root)), tmp_path, interval_over_sessions)
    audited = left.audited()
    queue = left.queue(audited)
    assert queue[0] == second.id
    also = {*audited.waiting, *audited.disputed}
    assert left.index.listing(SessionSelection(), 0, 1, also).to_judge == len(queue)


def _row(client: httpx.Client, title: str) -> str:
    rows = LexborHTMLParser(client.get("").text).css("tbody tr")
    return next(row.text() for row in rows if title in row.text())
