"""The reason of a reply without files names the end of the reply, where that is the cause."""

import pytest

from records.shapes.attempt import Generation, StepName
from runner.runs.record import explain_reason
from tests.records import examples

pytestmark = pytest.mark.unit

NO_FILE = "the reply holds no file"


def make_ended_generation(finish_reason: str | None) -> Generation:
    """Return facts of a reply with this finish reason."""
    return examples.make_generation().model_copy(update={"finish_reason": finish_reason})


@pytest.mark.parametrize("word", ["length", "max_tokens", "MAX_TOKENS"])
def test_a_reply_cut_at_its_limit_names_the_limit(word: str) -> None:
    """The reason shows the user of `--max-tokens` that the limit was too small."""
    reason = explain_reason(NO_FILE, StepName.FILESYSTEM, "Sure!", make_ended_generation(word), 150)
    assert reason == f"{NO_FILE}; the reply was cut at its limit of 150 tokens"


@pytest.mark.parametrize(
    ("word", "step", "limit"),
    [
        ("stop", StepName.FILESYSTEM, 150),
        (None, StepName.FILESYSTEM, 150),
        ("length", StepName.TESTS, 150),
        ("length", StepName.FILESYSTEM, None),
    ],
)
def test_other_reasons_stay_as_they_are(
    word: str | None, step: StepName, limit: int | None
) -> None:
    """A limit that cut nothing, or files that were read and failed, explain nothing."""
    assert explain_reason(NO_FILE, step, "Sure!", make_ended_generation(word), limit) == NO_FILE


def test_calls_of_tools_are_named_where_nothing_was_written() -> None:
    """A reply with text beside its calls is judged by the text."""
    calls = make_ended_generation("tool_calls")
    reason = explain_reason(NO_FILE, StepName.FILESYSTEM, " ", calls, 150)
    assert reason == f"{NO_FILE}: the model calls tools, of which none was offered"
    assert explain_reason(NO_FILE, StepName.FILESYSTEM, "Sure!", calls, 150) == NO_FILE


def test_baselines_and_passes_have_nothing_to_explain() -> None:
    """A baseline has no request, and a passed attempt has no reason."""
    assert explain_reason(NO_FILE, StepName.FILESYSTEM, "", None, None) == NO_FILE
    assert explain_reason(None, None, "# Files", make_ended_generation("length"), 150) is None
