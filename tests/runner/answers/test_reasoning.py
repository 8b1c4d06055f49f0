"""Reasoning in the text of a reply is separated from the answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.answers.reasoning import without_reasoning
from runner.answers.reply import parse_reply, render_reply

pytestmark = pytest.mark.unit

FILES = {"package.json": "{}\n", "convex/schema.ts": "export default 1;\n"}
ANSWER = render_reply(FILES)
DRAFT = "Let me draft.\n# Files\n\n## convex/draft.ts\n\n```ts\nexport const x: number = '';\n```\n"
OPEN_DRAFT = "Let me draft it:\n```ts\nexport const a = 1;\nI think that is right.\n"
OPEN_FILE = "# Files\n\n## convex/draft.ts\n\n```ts\nexport const a = 1;\nNo, better:\n"


@pytest.mark.parametrize("draft", [DRAFT, OPEN_DRAFT, OPEN_FILE, "Prose."])
@pytest.mark.parametrize(
    "form",
    [
        "<think>{draft}</think>\n\n{answer}",
        "<think>\n{draft}\n</think>\n{answer}",
        "{draft}</think>\n\n{answer}",
        "Sure.\n<think>\n{draft}</think>\n\n{answer}",
        "<thinking>{draft}</thinking>{answer}",
        "<thought>{draft}</thought>{answer}",
        "{draft}</thought>\n{answer}",
        "<THINK>{draft}</THINK>{answer}",
        "[THINK]{draft}[/THINK]{answer}",
        "<seed:think>{draft}</seed:think>{answer}",
        "◁think▷{draft}◁/think▷{answer}",
        "<|START_THINKING|>{draft}<|END_THINKING|>{answer}",
        "<|channel>thought\n{draft}<channel|>{answer}",
        "<think>I write `</think>` when I am done.\n{draft}</think>\n{answer}",
        "<think>I may not write </think> too early.\n{draft}</think>\n{answer}",
        "<think>The tag is <think>.\n{draft}</think>\n{answer}",
        "<think>One.</think>\n<think>{draft}</think>\n{answer}",
        (
            "<|channel|>analysis<|message|>{draft}<|end|><|start|>assistant<|channel|>final<|message|>"
            "{answer}<|return|>"
        ),
        (
            "<|channel|>analysis<|message|>{draft}<|end|><|start|>assistant<|channel|>commentary"
            "<|message|>{draft}<|end|><|start|>assistant<|channel|>final <|constrain|>md<|message|>"
            "{answer}"
        ),
        (
            "<|start|>assistant<|channel|>analysis<|message|>{draft}<|end|>"
            "<|start|>assistant<|channel|>final<|message|>{answer}"
        ),
        "{draft}<|end|><|start|>assistant<|channel|>final<|message|>{answer}",
        "<|channel|>final<|message|>{answer}",
        "analysis{draft}assistantfinal{answer}",
    ],
)
def test_text_before_the_answer_is_left_out(form: str, draft: str) -> None:
    """Reasoning is left out in each form of servers, with a draft or an open code block in it."""
    reply = parse_reply(form.format(draft=draft, answer=ANSWER))
    assert reply.files == FILES
    assert any("reasoning of" in note for note in reply.notes)


@pytest.mark.parametrize(
    "answer",
    [
        ANSWER,
        f"I never write `</think>`.\n\n{ANSWER}",
        f'{ANSWER}\nIt ends with "</think>".\n',
        render_reply(FILES | {"src/a.ts": "const end = '</think>';\n"}),
        render_reply(FILES | {"src/a.ts": "</think>\n"}),
        render_reply(FILES | {"src/a.ts": "<think>\n", "src/b.ts": "</think>\n"}),
        render_reply(FILES | {"src/a.ts": "<think>a</think>\n[THINK]b[/THINK]\n"}),
        render_reply(FILES | {"src/a.ts": "// <|channel|>final<|message|>\n"}),
        f"````markdown\n{render_reply(FILES | {'src/a.ts': '</think>'})}````\n",
        f"analysis of the task\n\n{ANSWER}",
    ],
)
def test_a_mark_in_quotes_or_in_a_file_is_none(answer: str) -> None:
    """A model may write about marks, and its code may hold them."""
    assert without_reasoning(answer) == answer


def test_an_opening_without_an_end_is_left_as_it_is() -> None:
    """The end of such reasoning is unknown."""
    text = f"<think>Easy.\n\n{ANSWER}"
    assert without_reasoning(text) == text


@pytest.mark.parametrize("draft", [DRAFT, OPEN_FILE])
def test_a_draft_is_no_answer_where_none_follows(draft: str) -> None:
    """The model thought, and answered without the draft."""
    assert without_reasoning(f"<think>{draft}</think>I cannot.") == "I cannot."
    assert without_reasoning(f"<|channel|>analysis<|message|>{draft}") == ""


PIECES = st.lists(
    st.sampled_from(
        [
            *("<think>", "</think>", "[THINK]", "[/THINK]", "\n", "```\n", "```ts\n", "~~~\n"),
            *("# Files\n", "## convex/a.ts\n", "text ", "`", "<|channel|>final<|message|>"),
            *("<|start|>assistant", "<|end|>", "analysis", "assistantfinal", "\r", "- "),
        ]
    ),
    max_size=20,
).map("".join)


@given(PIECES)
def test_the_remaining_text_is_of_the_reply(text: str) -> None:
    """No text is added, and the end stays unless it is a mark of its own."""
    answer = without_reasoning(text)
    signs = iter(text)
    assert all(sign in signs for sign in answer)
