"""The judgement on the end of a reply: the model, its server or its provider caused it."""

from collections.abc import Mapping, Sequence
from typing import Final

from records.runs import finish_reasons
from records.runs.finish_reasons import End
from records.shapes.attempt import FaultClass, Generation, TokensBasis
from runner.errors import (
    EmptyReplyError,
    IncompleteReplyError,
    MalformedReplyError,
    ReplyBrokenOffError,
)
from runner.models.costs.budget import compute_prompt_claim
from runner.models.faults.circuit_breaker import UNJUDGED
from runner.models.faults.diagnosis import Diagnosis, diagnose_end
from runner.models.requests.heard import Heard
from runner.models.tokens import is_far_below

OWN_LIMIT: Final = 0.95
"""A reply that was cut after this share of the sent limit is the model's own fault."""

OWN_LIMIT_COUNTED: Final = 0.5
"""The same share if this program counted the tokens: the model may count twice as many."""


def check_reply_end(heard: Heard) -> None:
    """Check that a reply has an end and content, and that the server did not break it off.

    Raises:
        IncompleteReplyError: the reply has neither a finish reason nor the protocol's end mark.
        ReplyBrokenOffError: the finish reason means a fault of the server.
        MalformedReplyError: the content is in no known field, or no event was part of a reply.
        EmptyReplyError: the reply is empty, and no output tokens are reported.
    """
    if heard.rambled:
        return
    nothing = not (heard.size or heard.called_tools)
    if heard.finish_reason is None and (nothing or not heard.closed):
        if heard.strange_event is not None and not heard.recognized:
            raise MalformedReplyError(
                f"the stream holds no piece of a reply: {heard.strange_event}"
            )
        raise IncompleteReplyError(f"the stream ended after {heard.size} characters, unfinished")
    if heard.end is End.SERVER:
        raise ReplyBrokenOffError(
            f"the server ended the reply by {heard.finish_reason}, after {heard.size} characters"
        )
    if not nothing or heard.end is End.FILTER:
        return
    if heard.strange_field is not None:
        raise MalformedReplyError(f"the reply is in no field that is known: {heard.strange_field}")
    if not heard.reported_tokens.output:
        raise EmptyReplyError(f"no text and no output tokens; finished by {heard.finish_reason}")


def find_end_fault(heard: Heard, limit: int | None, generation: Generation) -> Diagnosis | None:
    """Return the fault of the server or provider that ended a reply; None if the model ended it.

    ``limit`` is the sent limit on output tokens; None if none was sent.
    """
    word = generation.finish_reason
    if heard.ignored_limit:
        return diagnose_end(
            FaultClass.LIMIT_IGNORED,
            f"the server ignores the limit of {limit or 0:,} tokens: {heard.size:,} characters "
            "came without an end, and the rest was not read",
        )
    if heard.rambled or heard.end is End.MODEL:
        return None
    if heard.end is End.FILTER:
        return diagnose_end(
            FaultClass.CONTENT_FILTER,
            f"the provider ended the reply by {word}, after {heard.size} characters",
        )
    if heard.end in {End.LIMIT, End.CONTEXT}:
        # If no limit was sent, the server has cut the reply.
        counted = generation.tokens_basis is TokensBasis.COUNTED
        share = OWN_LIMIT_COUNTED if counted else OWN_LIMIT
        written = generation.tokens.output or 0
        if heard.end is End.LIMIT and limit is not None and written >= share * limit:
            return None
        most = limit or "an unknown number of"
        return diagnose_end(
            FaultClass.TRUNCATED_BY_SERVER,
            f"finish reason {word} at {generation.tokens.output} of {most} output tokens",
        )
    return find_unknown_end_fault(heard)


def find_prompt_fault(heard: Heard, messages: Sequence[Mapping[str, str]]) -> Diagnosis | None:
    """Return the fault of a reply to only a part of the prompt; None without evidence of it."""
    reported = compute_prompt_claim(heard.usage)
    own = None if not reported else is_far_below(reported, messages)
    if own is None:
        return None
    return diagnose_end(
        FaultClass.PROMPT_CUT_BY_SERVER,
        f"the server counted {reported:,} tokens of a prompt that has about {own:,}: its context "
        "length is too short for the prompt, which it cut, or it counts wrongly; start it with a "
        "longer context and --resume",
    )


def find_unknown_end_fault(heard: Heard) -> Diagnosis | None:
    """Return the fault of a reply with an unknown finish reason; None for all other replies."""
    if heard.rambled or heard.end is not End.UNKNOWN:
        return None
    evidence = "replies end without a finish reason"
    if heard.finish_reason is not None:
        evidence = (
            f"replies end by {heard.finish_reason!r}, which may tell of a fault: "
            f"add it to {finish_reasons.PLACE} to have them judged"
        )
    elif heard.traffic.incoming is None:
        evidence = f"the finish reasons of replies from {heard.traffic.path} are not read"
    return diagnose_end(FaultClass.PROVIDER_ERROR, evidence, UNJUDGED)
