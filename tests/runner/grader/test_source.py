"""Checks of source code see constructs, not words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.grader.source import Source

NOTES = """\
// .collect() in a comment is no call, nor is "ctx.db.query('notes').collect()" in a string.
import { v, type Infer } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import * as model from "./model";
import z from "zod";
import { query, internalMutation } from "./_generated/server";

const text = "ctx.db.query('notes').collect()";

export const list = query({
  args: { owner: v.string() },
  handler: async (ctx, { owner }) => {
    const mine = ctx.db
      .query("notes")
      .withIndex("by_owner", (q) => q.eq("owner", owner));
    const rows = await mine.order("desc").take(20);
    return rows.filter((row) => row.open).map((row) => row.text);
  },
});

async function sweepHandler(ctx) {
  const all = await ctx.db.query("tags").collect();
  for (const tag of all) await ctx.db.delete(tag._id);
}

export const sweep = internalMutation({ args: {}, handler: sweepHandler });

const hidden = 1;
export { hidden as shown };
export default sweep;
"""


@pytest.fixture
def source() -> Source:
    """Parse one module with most constructs that a check looks for."""
    return Source({"convex/notes.ts": NOTES, "package.json": "{}", "convex/_generated/api.js": ""})


def test_only_the_models_scripts_are_parsed(source: Source) -> None:
    """package.json and what tools generate are no source."""
    assert source.paths == ["convex/notes.ts"]


def test_a_call_knows_its_table(source: Source) -> None:
    """A query chain is followed to its table, through a variable that holds its beginning."""
    (take,) = source.calls("take")
    assert (take.table, take.chain) == ("notes", ("ctx.db.query", "withIndex", "order", "take"))
    (index,) = source.calls("withIndex")
    assert (index.table, index.string(), index.path) == ("notes", "by_owner", "convex/notes.ts")


def test_words_in_comments_and_strings_are_no_calls(source: Source) -> None:
    """The one call of .collect is the one in code."""
    assert [(call.table, call.line) for call in source.calls("collect")] == [("tags", 22)]


def test_what_was_awaited_is_an_array_and_no_query(source: Source) -> None:
    """A .filter on rows that were read has no table: it is JavaScript's own."""
    (call,) = source.calls("filter")
    assert call.table is None


def test_a_filter_on_an_awaited_chain_has_no_table() -> None:
    """Parentheses around an await end the chain; without an await they do not."""
    files = {
        "convex/a.ts": """
            const a = (await ctx.db.query("t").collect()).filter(x);
            const b = (ctx.db.query("t")).filter(x);
        """
    }
    assert [call.table for call in Source(files).calls("filter")] == [None, "t"]


def test_dotted_names_agree_from_the_end(source: Source) -> None:
    """db.query finds calls on the database, not the function that defines a query."""
    assert [call.string() for call in source.calls("db.query")] == ["notes", "tags"]
    assert [call.callee for call in source.calls("query")] == [
        "query",
        "ctx.db.query",
        "ctx.db.query",
    ]


def test_functions_are_looked_at_one_by_one(source: Source) -> None:
    """What defines a function is its own, with a handler that it takes by name."""
    assert [call.table for call in source.function_body("notes:list").calls("take")] == ["notes"]
    assert source.function_body("notes:list").calls("collect") == []
    assert [call.table for call in source.function_body("notes:sweep").calls("collect")] == ["tags"]


def test_a_function_that_is_not_exported_fails_the_test(source: Source) -> None:
    """The message names the module and the export that is missing."""
    with pytest.raises(AssertionError, match=r"convex/notes\.ts does not export missing"):
        source.function_body("notes:missing")
    with pytest.raises(AssertionError, match=r"no module convex/others\.ts"):
        source.function_body("others:list")


def test_exports_are_listed(source: Source) -> None:
    """Declarations, renamed ones and the default are exports."""
    assert source.exports("notes.ts") == ["list", "sweep", "shown", "default"]


def test_imports_are_listed(source: Source) -> None:
    """Each import tells its module, the names taken, and whether only types are."""
    assert [(each.module, each.names, each.type_only) for each in source.imports("notes.ts")] == [
        ("convex/values", ("v", "Infer"), False),
        ("./_generated/dataModel", ("Doc",), True),
        ("./model", ("*",), False),
        ("zod", ("default",), False),
        ("./_generated/server", ("query", "internalMutation"), False),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"use node";\nimport fs from "node:fs";', True),
        ("// why\n'use node'\nexport {}", True),
        ('"use strict"; "use node";', True),
        ('import fs from "node:fs";\n"use node";', False),
        ('// "use node"\n', False),
        ('const runtime = "use node";', False),
    ],
)
def test_a_directive_stands_before_all_else(text: str, expected: bool) -> None:  # noqa: FBT001
    """Only a statement of its own at the head of the file is a directive."""
    assert Source({"convex/a.ts": text}).directive("a.ts", "use node") is expected


def test_variables_that_refer_to_each_other_end() -> None:
    """A chain that begins in itself is left alone."""
    source = Source(
        {"convex/a.ts": "let q = q.filter(x); const a = b.take(1); const b = a.take(2);"}
    )
    assert [call.table for call in source.calls("take")] == [None, None]


@given(st.text())
def test_any_text_can_be_looked_at(text: str) -> None:
    """What is no TypeScript at all has calls, imports and exports too, perhaps none."""
    source = Source({"convex/a.tsx": text})
    source.all_calls()
    source.imports()
    source.exports("a.tsx")
    source.directive("a.tsx", "use node")
