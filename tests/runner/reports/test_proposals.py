"""Proposals of a model for the classes of failures."""

import asyncio

import pytest

from records.shapes.failure_classes import FailureClass
from records.shapes.registry import ModelEntry
from runner.models.ask import GenerationResult
from runner.reports import proposals
from runner.reports.evidence import FailedAttempt
from runner.reports.proposals import Drafted
from tests.records import examples

pytestmark = pytest.mark.unit

REPLY = 'I think {"class": 7} or rather {"class": "known_gap", "reason": "No index."}'
MODEL = ModelEntry(slug="maker/model", name="M", provider="Maker", litellm_id="maker/model")
FAILURE = FailedAttempt(examples.make_attempt(examples.make_eval_name(0)), None, {}, None, (), ())


@pytest.fixture(autouse=True)
def answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the model answer each question with the same reply."""

    async def answer(*_: object, **_options: object) -> GenerationResult:
        return GenerationResult(REPLY, None, None)

    monkeypatch.setattr(proposals, "generate", answer)


def test_the_first_valid_object_of_a_reply_is_the_proposal() -> None:
    """An object that is no proposal is passed over."""
    drafts: list[Drafted] = []
    drafting = proposals.draft_proposals([FAILURE], MODEL, budget_usd=None, done=drafts.append)
    asyncio.run(drafting)
    (draft,) = drafts
    assert draft.problem is None
    assert draft.proposal is not None
    assert draft.proposal.failure_class is FailureClass.KNOWN_GAP


def test_an_error_of_the_receiver_is_not_hidden() -> None:
    """A report that cannot be written ends the drafting."""

    def fail(_: Drafted) -> None:
        raise ValueError("the report cannot be written")

    drafting = proposals.draft_proposals([FAILURE], MODEL, budget_usd=None, done=fail)
    with pytest.raises(ExceptionGroup, match="unhandled errors"):
        asyncio.run(drafting)
