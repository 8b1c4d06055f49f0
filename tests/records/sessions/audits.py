"""Audits for the start of tests."""

from datetime import timedelta
from typing import Any

from records.sessions.audit import Audit, AuditItem
from records.sessions.events import make_event_id
from records.sessions.labels import LabelEvent
from tests.records import examples

RUN = "a" * 32


def make_audit_item(
    number: int,
    outcome: str = "failed",
    *,
    reviewers: int = 1,
    **more: Any,  # noqa: ANN401 - fields of any kind
) -> AuditItem:
    """Return a drawn attempt."""
    return AuditItem.model_validate(
        {
            "session": f"session-{number:04}",
            "run_id": RUN,
            "eval": examples.make_eval_name(0),
            "sample": number + 1,
            "outcome": outcome,
            "failed_step": "tests" if outcome == "failed" else None,
            "weight": 2.0,
            "reviewers": reviewers,
            **more,
        }
    )


def make_audit(*items: AuditItem, **more: Any) -> Audit:  # noqa: ANN401 - see above
    """Return an audit for which half of the attempts of each outcome were drawn."""
    strata = [
        {
            "eval": examples.make_eval_name(0),
            "outcome": outcome,
            "population": 2 * drawn,
            "drawn": drawn,
        }
        for outcome in ("passed", "failed")
        if (drawn := sum(entry.outcome == outcome for entry in items))
    ]
    failed = [entry for entry in items if entry.outcome == "failed"]
    return Audit.model_validate(
        {
            "schema_version": 1,
            "audit_id": "9fdfa625ac2f-7",
            "benchmark_version": "9fdfa625ac2f",
            "drawn_at": examples.NOON,
            "seed": 7,
            "runs": [RUN],
            "strata": strata,
            "steps": {"tests": 2 * len(failed)} if failed else {},
            "items": items,
            **more,
        }
    )


def make_status_event(
    after: str,
    *,
    reviewer: str | None = None,
    blind: bool = True,
    minutes: int = 1,
    **more: Any,  # noqa: ANN401 - see above
) -> LabelEvent:
    """Return a change of status, this number of minutes after the audit was drawn."""
    at = examples.NOON + timedelta(minutes=minutes)
    return LabelEvent.model_validate(
        {
            "id": make_event_id(at),
            "at": at,
            "reviewer": reviewer,
            "field": "evalStatus",
            "before": "incorrect",
            "after": after,
            "reason": "",
            "via": "desk",
            "blind": blind,
            "seen": "a" * 64,
            **more,
        }
    )
