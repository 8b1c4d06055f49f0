"""The reason of a reply without files names the end of the reply, where that is the cause."""

import pytest

from records.shapes.attempt import Generation, StepName
from runner.runs.record import explain_reason
from tests.records import examples

pytestmark = pytest.mark.unit

NO_FILE = "the reply holds no file"
FILESYSTEM = StepName.FILESYSTEM


def make_ended_generation(finish_reason: str | None) -> Generation:
    """Return facts of a reply with this finish reason."""
    return examples.make_generation().model_copy(update={"finish_reason": finish_reason})


LIMIT = "; the reply was cut at its limit of 150 tokens"
CALLS = ": the model calls tools, of which none was offered"


@pytest.mark.parametrize(
    ("word", "reply", "step", "limit", "added"),
    [
        *((word, "Sure!", FILESYSTEM, 150, LIMIT) for word in ("length", "max_tokens")),
        ("MAX_TOKENS", "Sure!", FILESYSTEM, 150, LIMIT),
        ("stop", "Sure!", FILESYSTEM, 150, ""),
        (None, "Sure!", FILESYSTEM, 150, ""),
        ("length", "Sure!", StepName.TESTS, 150, ""),
        ("length", "Sure!", FILESYSTEM, None, ""),
        ("tool_calls", " ", FILESYSTEM, 150, CALLS),
        ("tool_calls", "Sure!", FILESYSTEM, 150, ""),
    ],
)
def test_the_end_of_a_reply_is_named_where_it_is_the_cause(
    word: str | None, reply: str, step: StepName, limit: int | None, added: str
) -> None:
    """A limit that cut nothing, files that were read, and calls beside a text explain nothing."""
    generation = make_ended_generation(word)
    assert explain_reason(NO_FILE, step, reply, generation, limit) == f"{NO_FILE}{added}"


def test_baselines_and_passes_have_nothing_to_explain() -> None:
    """A baseline has no request, and a passed attempt has no reason."""
    assert explain_reason(NO_FILE, FILESYSTEM, "", None, None) == NO_FILE
    assert explain_reason(None, None, "# Files", make_ended_generation("length"), 150) is None
