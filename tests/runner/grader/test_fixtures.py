"""What a grader sees of a deployment is what the deployment is."""

from pathlib import Path

from records.run import Outcome
from runner.grading import Desk
from tests.runner.answers import EVALS, answer, question

PROJECT = {
    "convex/schema.ts": """\
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  notes: defineTable({ text: v.string(), size: v.int64(), owner: v.optional(v.string()) })
    .index("by_owner", ["owner", "size"])
    .searchIndex("by_text", { searchField: "text", filterFields: ["owner"] }),
});
""",
    "convex/all.ts": """\
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import { action, internalMutation, mutation, query } from "./_generated/server";

export const who = query({
  args: {},
  handler: async (ctx) => {
    const identity = await ctx.auth.getUserIdentity();
    return identity && { subject: identity.subject, name: identity.name ?? null };
  },
});

export const refuse = query({
  args: { code: v.number() },
  returns: v.null(),
  handler: async (_ctx, { code }) => {
    console.log("refusing", code);
    throw new ConvexError({ code });
  },
});

export const add = internalMutation({
  args: { text: v.string() },
  handler: async (ctx, { text }) => {
    await ctx.db.insert("notes", { text, size: BigInt(text.length) });
  },
});

export const later = mutation({
  args: { text: v.string() },
  handler: async (ctx, args) => {
    await ctx.scheduler.runAfter(60_000, internal.all.add, args);
  },
});

export const outside = action({
  args: {},
  handler: async (): Promise<string> => {
    const response = await fetch("https://weather.example/now", { method: "POST", body: "Oslo" });
    return `${process.env.GREETING} ${await response.text()}`;
  },
});
""",
    "convex/http.ts": """\
import { httpRouter } from "convex/server";
import { httpAction } from "./_generated/server";

const http = httpRouter();
http.route({
  path: "/echo",
  method: "POST",
  handler: httpAction(async (_ctx, request) => {
    return new Response(await request.text(), { status: 201, headers: { "x-kind": "echo" } });
  }),
});
export default http;
""",
    "convex/crons.ts": """\
import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();
crons.interval("note", { hours: 2 }, internal.all.add, { text: "tick" });
export default crons;
""",
}
GRADER = '''
import pytest

from runner.grader import FunctionFailed, Int64


def test_callers(convex):
    """Anybody, a user and an admin are told apart."""
    assert convex.query("all:who") is None
    assert convex.as_user("ada", name="Ada").query("all:who") == {"subject": "ada", "name": "Ada"}
    with pytest.raises(FunctionFailed, match="Could not find public function"):
        convex.mutation("all:add", {"text": "x"})
    convex.admin.mutation("all:add", {"text": "four"})
    assert [note["size"] for note in convex.table("notes")] == [4]


def test_failures(convex):
    """A failure carries its data and what was logged."""
    with pytest.raises(FunctionFailed) as failed:
        convex.query("all:refuse", {"code": 7})
    assert failed.value.data == {"code": 7}
    assert "ConvexError" in failed.value.message
    assert any("refusing" in line for line in failed.value.log_lines)
    with pytest.raises(FunctionFailed, match="ArgumentValidationError"):
        convex.query("all:refuse", {"code": "seven"})


def test_documents(convex):
    """Documents go in and out past all functions, and obey the schema."""
    first, second = convex.insert_many(
        "notes", [{"text": "a", "size": Int64(1)}, {"text": "b", "size": Int64(2)}]
    )
    assert [note["_id"] for note in convex.table("notes")] == [first, second]
    assert convex.document("notes", second)["text"] == "b"
    convex.delete("notes", first)
    assert convex.document("notes", first) is None
    with pytest.raises(FunctionFailed):
        convex.insert("notes", {"text": 1.0, "size": Int64(1)})
    convex.clear()
    assert convex.table("notes") == []


def test_tests_begin_empty(convex):
    """Nothing of an earlier test is left."""
    assert convex.table("notes") == [] and convex.scheduled() == [] and convex.fetches() == []


def test_schema(convex):
    """The schema tells tables, indexes and search indexes."""
    table = convex.schema.tables["notes"]
    assert [(index.name, index.fields) for index in table.indexes] == [
        ("by_owner", ("owner", "size"))
    ]
    (search,) = table.search_indexes
    assert (search.name, search.search_field, search.filter_fields) == (
        "by_text",
        "text",
        ("owner",),
    )
    assert table.validator["type"] == "object"


def test_functions(convex):
    """Functions tell their kind, visibility and validators."""
    functions = convex.functions
    kinds = {path: (each.kind, each.visibility) for path, each in functions.items()}
    assert kinds["all:who"] == ("query", "public")
    assert kinds["all:add"] == ("mutation", "internal")
    assert kinds["all:outside"] == ("action", "public")
    assert kinds["POST /echo"][0] == "http"
    assert functions["all:refuse"].args["value"]["code"]["fieldType"] == {"type": "number"}
    assert functions["all:who"].returns is None


def test_schedule(convex):
    """What is scheduled is told, and runs when its time has come."""
    began = convex.clock.now()
    convex.mutation("all:later", {"text": "soon"})
    (job,) = convex.scheduled()
    assert (job.path, job.args, job.state) == ("all:add", {"text": "soon"}, "pending")
    assert job.at == pytest.approx(began + 60, abs=5)
    convex.clock.advance(61)
    assert convex.scheduled()[0].state == "success"
    assert [note["text"] for note in convex.table("notes")] == ["soon"]


def test_crons(convex):
    """Cron jobs are told in seconds, and run as time passes."""
    cron = convex.crons["note"]
    assert (cron.path, cron.args) == ("all:add", {"text": "tick"})
    assert cron.schedule == {"type": "interval", "seconds": 7200}
    convex.clock.advance(3 * 7200 + 60)
    assert len(convex.table("notes")) == 3


def test_outside(convex):
    """Requests to the outside get what was stubbed, and are told."""
    convex.set_env("GREETING", "It is")
    convex.stub_fetch("https://weather.example/*", method="post", body="raining")
    assert convex.action("all:outside") == "It is raining"
    (fetch,) = convex.fetches()
    assert (fetch.method, fetch.url, fetch.text) == (
        "POST",
        "https://weather.example/now",
        "Oslo",
    )
    convex.stub_fetch("https://weather.example/now", fail=True)
    with pytest.raises(FunctionFailed):
        convex.action("all:outside")


def test_http(convex):
    """HTTP actions answer with status, headers and body."""
    response = convex.http("POST", "/echo", json={"n": 1})
    assert (response.status, response.json()) == (201, {"n": 1})
    assert response.headers["x-kind"] == "echo"
    assert convex.http("GET", "/nothing").status == 404


def test_files(convex):
    """Files are stored and listed."""
    stored = convex.store(b"hello", "text/plain")
    (file,) = convex.files()
    assert (file.id, file.size, file.content_type) == (stored, 5, "text/plain")
    assert len(file.sha256) == 64


def test_output(output, source):
    """Files and source are those of the answer."""
    assert output.has("crons.ts") and not output.has("convex/none.ts")
    assert source.calls("runAfter")[0].path == "convex/all.ts"
'''


def test_every_fixture_shows_the_deployment_as_it_is(tmp_path: Path) -> None:
    """One grader over one project uses all there is, and each of its tests passes."""
    with Desk(suite_root=EVALS, workers=1) as desk:
        graded = desk.grade(question(tmp_path, GRADER), answer(42, PROJECT))
    assert [(test.name, test.message) for test in graded.tests or () if test.message] == []
    assert (graded.outcome, graded.reason) == (Outcome.PASSED, None)
