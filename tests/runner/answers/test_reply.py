"""Replies of models are read as files, in spite of any text around the files."""

import contextlib
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from runner.answers.paths import find_path_in_heading
from runner.answers.reply import parse_reply, render_reply
from runner.answers.rules import MOST_BYTES
from runner.errors import UnusableReplyError

pytestmark = pytest.mark.unit

TWO_FILES = """\
# Files

## package.json

```json
{}
```

## convex/schema.ts

```ts
export default 1;
```
"""
AS_READ = {"package.json": "{}\n", "convex/schema.ts": "export default 1;\n"}


def test_the_format_asked_for() -> None:
    """The format is an h1, then an h2 and a fenced block for each file."""
    reply = parse_reply(TWO_FILES)
    assert reply.files == AS_READ
    assert reply.notes == ()


AROUND = {
    "prose around": f"Here is the backend you asked for.\n\n{TWO_FILES}\nLet me know if it works!",
    "glued": f"Sure!{TWO_FILES}",
    "glued after a space": f"Sure! {TWO_FILES}",
    "headings glued": TWO_FILES.replace("# Files\n\n## package.json", "# Files## package.json"),
    "path glued to prose": TWO_FILES.replace(
        "# Files\n\n## package.json", "Of course.\nHere it is:## package.json"
    ),
    "no h1": TWO_FILES.replace("# Files", "**Files**"),
    "deeper headings": TWO_FILES.replace("# Files", "## Files")
    .replace("## p", "### p")
    .replace("## c", "### c"),
    "prose under the h1": TWO_FILES.replace("## package", "The dependencies.\n\n## package"),
    "prose under a path": TWO_FILES.replace(
        "## convex/schema.ts\n", "## convex/schema.ts\n\nThe tables:\n"
    ),
    "code before": f"```ts\nconst plan = 1;\n```\n\n{TWO_FILES}",
    "draft before": f"# Notes\n\n## convex/schema.ts\n\n```ts\nconst old = 1;\n```\n\n{TWO_FILES}",
    "explained": f"{TWO_FILES}\n# Explanation\n\n## convex/schema.ts\n\n```ts\nexport\n```\n",
    "commands after": f"{TWO_FILES}\n## Running it\n\n```sh\nnpx convex dev\n```\n",
    "a route after": f"{TWO_FILES}\n## /api/items\n\n```sh\ncurl\n```\n",
    "reasoning before": f"<think>\n```ts\nconst a = 1;\n</think>\n{TWO_FILES}",
    "html before": f"<div>\n{TWO_FILES}",
    "wrapped in markdown": f"```markdown\n{TWO_FILES}```\n",
    "wrapped in a longer fence": f"````\n{TWO_FILES}````\n",
    "wrapped in tildes": f"Here:\n\n~~~md\n{TWO_FILES}~~~\n\nDone.",
}
"""Replies with the two files, by what is around the files."""


@pytest.mark.parametrize("reply", AROUND.values(), ids=AROUND)
def test_text_around_the_files_does_not_matter(reply: str) -> None:
    """Prose, drafts and wrappings around the files leave the files unchanged."""
    assert parse_reply(reply).files == AS_READ


@pytest.mark.parametrize(
    "heading",
    [
        "`convex/schema.ts`",
        "**convex/schema.ts**",
        "**`convex/schema.ts`**",
        "convex/schema.ts:",
        "`convex/schema.ts`:",
        "**convex/schema.ts:**",
        "File: convex/schema.ts",
        "file `convex/schema.ts`",
        "2. convex/schema.ts",
        "convex/schema.ts (new)",
        "`convex/schema.ts` (the tables)",
        "[convex/schema.ts](convex/schema.ts)",
        "./convex/schema.ts",
        "/convex/schema.ts",
        "convex\\schema.ts",
        "convex//schema.ts",
        '"convex/schema.ts"',
        "convex/schema.ts ##",
    ],
)
def test_decorated_paths(heading: str) -> None:
    """Backticks, bold, colons, numbers and remarks around a path are not part of it."""
    reply = TWO_FILES.replace("## convex/schema.ts", f"## {heading}")
    assert parse_reply(reply).files == AS_READ


@pytest.mark.parametrize(
    ("heading", "path"),
    [
        ("convex/my\\_items.ts", "convex/my_items.ts"),
        ("src/__tests__/app.tsx", "src/__tests__/app.tsx"),
        ("src/routes/[id].tsx", "src/routes/[id].tsx"),
        ("convex/http/v1.2/list.ts", "convex/http/v1.2/list.ts"),
        ("`src/two words.ts`", "src/two words.ts"),
    ],
)
def test_unusual_paths(heading: str, path: str) -> None:
    """Underscores, brackets, dots and blanks in a path stay as they are."""
    assert parse_reply(f"# Files\n\n## {heading}\n\n```\nx\n```\n").files == {path: "x\n"}


def test_longer_fences_hold_shorter_ones() -> None:
    """A fence ends only at a fence that is at least as long and of the same kind."""
    text = "const help = `\n```ts\n# Files\n## convex/b.ts\n```\n~~~\n`;\n"
    assert parse_reply(f"# Files\n\n## convex/a.ts\n\n````ts\n{text}````\n").files == {
        "convex/a.ts": text
    }
    tildes = "const help = `\n```\n# Files\n```\n`;\n"
    assert parse_reply(f"## convex/a.ts\n~~~ts\n{tildes}~~~~\n").files == {"convex/a.ts": tildes}


@pytest.mark.parametrize(
    "text",
    [
        "/*\nUsage:\n\n```\nawait load();\n```\n*/\nexport const a = 1;\n",
        "/**\n```ts\nawait load();\n```\n*/\nexport const a = 1;\n",
        "/* # Usage\n\n## How\n```\nx\n```\n*/\nexport const a = `\n```\n`;\n",
        "const q = /[`'\"]/g; const b = `a ${f({ c: `\n```\n` })}\n```\n`;\n",
        "const u = 'https://x.org/*'; // don't `\nconst b = `\n```\n\\`${1}`;\n",
    ],
)
@pytest.mark.parametrize("language", ["ts", "", "JavaScript"])
def test_a_fence_in_a_comment_or_a_literal_of_code_ends_no_file(text: str, language: str) -> None:
    """What comes after the comment belongs to the file, and the next file is the next file."""
    reply = (
        f"# Files\n\n## convex/a.ts\n\n```{language}\n{text}```\n\n## convex/b.ts\n```ts\nx\n```\n"
    )
    assert parse_reply(reply).files == {"convex/a.ts": text, "convex/b.ts": "x\n"}


@pytest.mark.parametrize("text", ["/* never closed\n", "const a = `never closed\n", "ls src/*\n"])
def test_an_open_comment_swallows_no_other_file(text: str) -> None:
    """The next file ends the search, though its own comment closes the open one."""
    other = "/* A comment. */\nexport const b = `x`;\n"
    for prose in ("", "Now the other one:\n\n"):
        reply = f"## convex/a.ts\n```ts\n{text}```\n\n{prose}## convex/b.ts\n\n```ts\n{other}```\n"
        assert parse_reply(reply).files == {"convex/a.ts": text, "convex/b.ts": other}


def test_headings_inside_code_are_code() -> None:
    """Lines such as ``# Files`` and ``## path`` inside a fence belong to the file."""
    text = "/*\n# Files\n\n## convex/other.ts\n*/\nexport const a = 1;\n"
    assert parse_reply(f"# Files\n\n## convex/a.ts\n\n```ts\n{text}```\n").files == {
        "convex/a.ts": text
    }


def test_a_readme_with_code_blocks_does_not_swallow_later_files() -> None:
    """Markdown in a fence no longer than those inside it ends where they are balanced."""
    readme = "# Shop\n\n```sh\nnpm i\n```\n\nThen:\n\n```sh\nnpm run dev\n```\n"
    reply = (
        f"# Files\n\n## convex/README.md\n\n```md\n{readme}```\n\n## convex/a.ts\n\n```ts\nx\n```\n"
    )
    assert parse_reply(reply).files == {"convex/README.md": readme, "convex/a.ts": "x\n"}


def test_windows_line_ends_become_line_feeds() -> None:
    """A reply with CRLF gives the same files as a reply without."""
    assert parse_reply(TWO_FILES.replace("\n", "\r\n")).files == AS_READ


def test_the_last_of_several_versions_counts() -> None:
    """A path that comes twice is a correction, and is noted."""
    again = TWO_FILES + "\nCorrected:\n\n## convex/schema.ts\n\n```ts\nexport default 2;\n```\n"
    reply = parse_reply(again)
    assert reply.files == AS_READ | {"convex/schema.ts": "export default 2;\n"}
    assert reply.notes == ("convex/schema.ts is there more than once; the last one counts",)


def test_a_file_cannot_be_a_folder_too() -> None:
    """A file below another file is refused."""
    with pytest.raises(UnusableReplyError, match=r"'convex/a\.ts' is a file, and a folder in"):
        parse_reply(render_reply({"convex/a.ts": "x\n", "convex/a.ts/b.ts": "x\n"}))


@pytest.mark.parametrize("ending", ["```ts\nexport def", "```ts\n", "```ts", "`", "", "``"])
def test_a_fence_cut_off_at_the_end_is_a_truncated_reply(ending: str) -> None:
    """A reply that ends inside a file was cut off: none of its files is used."""
    with pytest.raises(
        UnusableReplyError, match=r"ends in the middle of 'convex/schema\.ts'"
    ) as caught:
        parse_reply(TWO_FILES[: TWO_FILES.index("```ts")] + ending)
    assert caught.value.kind == "truncated"


REFUSED: dict[str, tuple[str, ...]] = {
    "empty": ("", "   \n\n", "\r\n"),
    "no_files": (
        "I'm sorry, I cannot help with that.",
        "# Files",
        "# Files\n\n## Notes\n\n```ts\nx\n```",
        "```ts\nexport default 1;\n```",
        "# Files\n\n## README.md\n\n```md\nhello\n```\n",
        "```" * 1000,
        "> " * 5000,
        "- " * 5000,
    ),
    "path_refused": tuple(
        f"{TWO_FILES}\n## {path}\n\n```ts\nx\n```\n"
        for path in (
            *("../outside.ts", "convex/../../outside.ts", "convex/../package.json"),
            *("..\\outside.ts", "/etc/cron.d/job.sh", "C:\\Windows\\win.ini", "~/.ssh/config.txt"),
            *("convex/a\0.ts", "convex/a\x1b[0m.ts", f"convex/{'a' * 300}.ts"),
            f"convex/{'a/' * 600}a.ts",
        )
    ),
    "too_large": ("x" * 2_000_001,),
    "rule_broken": (render_reply({f"src/{n}.ts": "" for n in range(201)}),),
}
"""Replies that cannot be used, by the kinds of their refusals."""


@pytest.mark.parametrize(
    ("kind", "reply"),
    [
        pytest.param(kind, reply, id=f"{kind} {number}")
        for kind, replies in REFUSED.items()
        for number, reply in enumerate(replies)
    ],
)
def test_a_reply_that_cannot_be_used_is_refused(kind: str, reply: str) -> None:
    """It is empty or immense, has no file that is used, a path out of the project, or too many."""
    with pytest.raises(UnusableReplyError) as caught:
        parse_reply(reply)
    assert caught.value.kind == kind


def test_text_that_no_file_can_hold_is_replaced() -> None:
    """NULs and halves of characters become the replacement character, and are noted."""
    reply = parse_reply("# Files\n\n## convex/a.ts\n\n```ts\na\0b\ud800c\n```\n")
    assert reply.files == {"convex/a.ts": "a\ufffdb\ufffdc\n"}
    assert reply.notes == ("characters that are no text were replaced",)


def test_large_files_come_back_exactly() -> None:
    """The largest allowed files, of code and of fences, come back exactly."""
    for line in ("  const rows = await ctx.db.query('rows').take(10);\n", "~~~ts\n"):
        text = line * (MOST_BYTES // len(line))
        assert parse_reply(render_reply({"convex/a.ts": text})).files == {"convex/a.ts": text}


def _measure_cost(reply: str) -> float:
    """Return the processor time that reading a reply takes."""
    started = time.process_time()
    with contextlib.suppress(UnusableReplyError):
        parse_reply(reply)
    return time.process_time() - started


def _grows_with_its_length(piece: str, begin: str = "", length: int = 3000) -> bool:
    """Return whether eight times a text takes about eight times as long; 64 times is quadratic.

    Other processes make a reading slower, so that a slow reading is tried again.
    """
    short, long = (begin + piece * (size // len(piece) + 1) for size in (length, 8 * length))
    usual = max(min(_measure_cost(short) for _ in range(3)), 0.002)
    return any(_measure_cost(long) < 30 * usual for _ in range(3))


@pytest.mark.more
@pytest.mark.parametrize(
    "piece",
    [
        *("```md\n```x\n```x\n```\n", "  ```\n", "```md\n", "~~~md\n~~~x\n", "~~~", "```", "`"),
        *("# \n", "#", "# a " + " " * 1000, "# a" + " " * 700 + "a#b\n", "## a/b.ts\n", "a#"),
        *(
            "# " + "[" * 1990 + "\n",
            "# " + "](" * 900 + "\n",
            "# " + "`a " * 600 + "\n",
            "[](",
            "](",
        ),
        *("# ` " + " " * 1900 + "\n", "# " + "(" * 1900 + "\n", "# a " + "(" * 1900 + ")\n"),
        *("# " + '"' * 1990 + "\n", "# " + "*" * 1990 + "\n", "# " + "." * 1990 + "\n", "."),
        *("# " + "1" * 1990 + "\n", "# file" + " " * 1900 + "x\n", " ", "\t", "\n", "\\", "a`b "),
        *("1. x\n", "- x\n", "- ", "> ", "> x\ny\n", "- ```\n", "> ```\n", "* * *\n", "    a\n"),
        *("<think>", "</think>", "<think>\n", "- a\n\n", "1) a\n   - b\n"),
        *("[THINK]", "[/THINK]", "<think></think>", "`</think>", "<|end|>", "<|end|> ", "analysis"),
        *("<|start|>assistant<|channel|>final<|message|>", "<|channel|>analysis", "assistantfinal"),
        *("```\n</think>\n", "```\n</think>\n# Files\n", "<think>\n```\n</think>\n"),
    ],
)
@pytest.mark.parametrize(
    "begin",
    [
        pytest.param("", id="plain"),
        pytest.param("- x\n\n", id="in a list", marks=pytest.mark.night),
    ],
)
def test_reading_takes_time_by_the_length_of_a_reply(begin: str, piece: str) -> None:
    """Repeating a piece of text over and over does not keep the parser busy."""
    assert _grows_with_its_length(piece, begin)


PIECES = st.lists(
    st.sampled_from(
        [*" \t\n#`~[](){}<>*_.:/\\\"'-1a", "```", "# ", "## a/b.ts", "file: ", "](", "> ", "1. "]
    ),
    min_size=1,
    max_size=6,
).map("".join)


@settings(max_examples=settings().max_examples // 2)
@given(PIECES, PIECES, st.integers(1, 1500))
def test_no_repetition_is_slow_to_read(piece: str, end: str, count: int) -> None:
    """A mixture of pieces, in long lines and short ones, does not keep the parser busy either."""
    assert _grows_with_its_length(f"# {piece * (count // len(piece))}{end}\n")


@given(st.text(st.sampled_from("`[]()*_\"': ab./#\n"), max_size=60))
def test_wrapped_headings_end(text: str) -> None:
    """A heading in any wrapping is a path without blanks around it, or no path."""
    path = find_path_in_heading(text * 20)
    assert path is None or path == path.strip()


def test_wrappings_without_end_are_no_path() -> None:
    """Quotes within quotes are taken off a few times, not until Python gives up."""
    assert find_path_in_heading('"' * 900 + "convex/a.ts" + '"' * 900) is not None
    assert find_path_in_heading("`" * 900 + "convex/a.ts" + "`" * 900) == "convex/a.ts"


SEGMENTS = st.from_regex(r"[A-Za-z0-9_\-\[\]$@+éü]{1,20}", fullmatch=True)


def _join_path(root: str, folders: list[str], name: str, suffix: str) -> str:
    return "/".join([root, *folders, name + suffix])


PATHS = st.builds(
    _join_path,
    st.sampled_from(["convex", "src"]),
    st.lists(SEGMENTS, max_size=3),
    SEGMENTS,
    st.sampled_from([".ts", ".tsx", ".js", ".json", ".md", ".test.ts"]),
).filter(lambda path: "_generated" not in path and "sconfig" not in path)
LINES = st.one_of(
    st.text(st.characters(exclude_characters="\n\r\0", exclude_categories=["Cs"]), max_size=40),
    st.sampled_from(
        ["# Files", "## convex/a.ts", "```", "```ts", "````", "~~~", "  ```", "    ```", "</think>"]
    ),
)
TEXTS = st.lists(LINES, max_size=12).map(lambda lines: "".join(f"{line}\n" for line in lines))


def _get_stem(item: tuple[str, str]) -> str:
    return item[0].partition(".")[0]


def _make_files(most: int) -> st.SearchStrategy[dict[str, str]]:
    """Make files of which no two differ only in their endings."""
    items = st.tuples(PATHS, TEXTS)
    return st.lists(items, min_size=1, max_size=most, unique_by=_get_stem).map(dict)


def _holds_marks(files: dict[str, str]) -> bool:
    """Return whether a file looks like a draft with an answer behind it, as no real file does."""
    return any("# Files" in text.partition("</think>")[2] for text in files.values())


@given(_make_files(5).filter(lambda files: not _holds_marks(files)))
@example({"convex/a.md": "```ts\n```\n```\n"})
@example({"src/_x_/__y__.ts": ""})
def test_files_come_back_exactly(files: dict[str, str]) -> None:
    """Any files rendered in the reply format are read back unchanged."""
    reply = parse_reply(render_reply(files))
    assert reply.files == files
    assert reply.notes == ()


@given(_make_files(3).filter(lambda files: not _holds_marks(files)), st.data())
def test_a_reply_cut_anywhere_never_gives_half_a_file(
    files: dict[str, str], data: st.DataObject
) -> None:
    """A reply cut at any place is unusable, or its files are complete files of the reply."""
    whole = render_reply(files)
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    try:
        reply = parse_reply(cut)
    except UnusableReplyError:
        return
    assert reply.files.items() <= files.items()


KINDS = {*REFUSED, "truncated"}


@given(st.text(max_size=400))
def test_no_text_breaks_the_parser(text: str) -> None:
    """Any text is either files or an unusable reply."""
    try:
        parse_reply(text)
    except UnusableReplyError as error:
        assert error.kind in KINDS  # noqa: PT017 - either way is right
