"""A reset removes all traces of model code from its process."""

import threading
from collections.abc import Iterator

import pytest

from runner.backends.backend import Backend, Deployment
from runner.backends.client import BackendClient, FunctionError
from runner.workspace import create_workspace
from tests.runner.emulator.conftest import read_project, reset_deployment

pytestmark = pytest.mark.more

OUTER = 'new Function("return this")()'

PLACES = {
    "math": "Math as any",
    "array_prototype": "Array.prototype as any",
    "object_prototype": "Object.prototype as any",
    "function_of_the_language": "Array.prototype.map as any",
    "error_class": "Error as any",
    "date": "Date as any",
    "iterator_prototype": "Object.getPrototypeOf([].values()) as any",
    "generator_prototype": "Object.getPrototypeOf(function* () {}) as any",
    "async_function_prototype": "Object.getPrototypeOf(async () => {}) as any",
    "intl": "Intl as any",
    "class_of_the_web": "URL.prototype as any",
    "late_class_of_the_web": "Headers.prototype as any",
    "crypto": "crypto as any",
    "console": "console as any",
    "environment": "process.env as any",
    "global_object": "globalThis as any",
    "what_the_global_object_inherits": "Object.getPrototypeOf(globalThis) as any",
    "fetch": "fetch as any",
    "library_function": "v.string as any",
    "library_class": "ConvexError.prototype as any",
    "outer_global_object": OUTER,
}
PLACES_OF_NODE = {
    "outer_global_object": "globalThis as any",
    "outer_process": 'require("node:process")',
    "module": 'require("node:fs")',
    "module_that_was_not_loaded": 'require("node:process").getBuiltinModule("zlib")',
    "buffer": "Buffer.prototype as any",
    "environment": "process.env as any",
}
KEEPING = """
import { v, ConvexError } from "convex/values";
import { action, mutation, query } from "./_generated/server";
import { api } from "./_generated/api";

const places: Record<string, () => any> = { PLACES };
export const keep = mutation({
  args: { place: v.string(), how: v.string() },
  handler: (_ctx, { place, how }) => {
    const object = places[place]();
    if (how === "set") Object.defineProperty(object, "kept", { value: 7, configurable: true });
    if (how === "locked") Object.defineProperty(object, "kept", { value: 7 });
    if (how === "symbol") object[Symbol.for("kept")] = 7;
    const getter = { get: () => 7, configurable: true };
    if (how === "getter") Object.defineProperty(object, "kept", getter);
    if (how === "frozen") Object.freeze(object);
    if (how === "replaced") Object.defineProperty(Math, "floor", { value: () => 7 });
  },
});
export const find = query({
  args: { place: v.string() },
  handler: (_ctx, { place }) => {
    const object = places[place]();
    const isKept = object.kept === 7 || object[Symbol.for("kept")] === 7;
    return isKept || Math.floor(1.5) === 7 || Object.isFrozen(object) ? "kept" : "fresh";
  },
});
export const match = query({ args: {}, handler: () => /secret/.test("a secret word") });
export const rename = mutation({
  args: {},
  handler: () => void Object.defineProperty(Array.prototype.map, "name", { value: "kept" }),
});
export const nameOfMap = query({ args: {}, handler: () => Array.prototype.map.name });
export const lastMatch = query({ args: {}, handler: () => (RegExp as any).lastMatch });
export const late = query({ args: {}, handler: () => String((Math as any).late) });
export const goOn = mutation({
  args: {},
  handler: (ctx) => ctx.scheduler.runAfter(0, api.keeping.stay, {}),
});
export const stay = action({
  args: {},
  handler: async () => {
    for (;;) {
      (Math as any).late = 7;
      await fetch("https://example.test/");
    }
  },
});
export const sleep = action({
  args: {},
  handler: async () => {
    (Math as any).late = 7;
    await new Promise((resolve) => setTimeout(resolve, 3_600_000));
  },
});
export const began = action({
  args: {},
  handler: async () => {
    await (await fetch("https://example.test/")).text();
    return [performance.timeOrigin, crypto.randomUUID().length, new Intl.NumberFormat().format(1)];
  },
});
"""
NODE = """
"use node";
import * as fs from "node:fs";
import { v } from "convex/values";
import { action } from "./_generated/server";

const places: Record<string, () => any> = { PLACES };
export const keep = action({
  args: { place: v.string() },
  handler: async (_ctx, { place }) => {
    Object.defineProperty(places[place](), "kept", { value: 7, configurable: true });
    return typeof fs.readFileSync;
  },
});
export const find = action({
  args: { place: v.string() },
  handler: async (_ctx, { place }) => (places[place]().kept === 7 ? "kept" : "fresh"),
});
"""


@pytest.fixture(scope="module")
def deployment(embedded: Backend) -> Iterator[Deployment]:
    """A project whose functions change the world that they run in."""
    entries = ", ".join(f"{name}: () => ({expression})" for name, expression in PLACES.items())
    with create_workspace() as workspace:
        files = {
            **read_project("operations"),
            "convex/keeping.ts": KEEPING.replace("PLACES", entries),
        }
        workspace.write(files)
        with embedded.deploy(workspace, 60) as deployment:
            yield deployment


@pytest.fixture
def client(deployment: Deployment) -> Iterator[BackendClient]:
    """A client of that deployment, after a reset."""
    with reset_deployment(deployment) as client:
        yield client


@pytest.mark.parametrize("shared_object", PLACES)
def test_a_reset_takes_away_all_changes(client: BackendClient, shared_object: str) -> None:
    """A property on any object that outlives a call is gone after a reset."""
    client.run_mutation("keeping:keep", {"place": shared_object, "how": "set"})
    client.reset()
    assert client.run_query("keeping:find", {"place": shared_object}) == "fresh"
    client.reset()


@pytest.mark.parametrize("how", ["locked", "symbol", "getter", "frozen", "replaced"])
def test_a_reset_takes_away_however_it_was_set(client: BackendClient, how: str) -> None:
    """Locked properties, symbols, getters, frozen and replaced objects are restored."""
    client.run_mutation("keeping:keep", {"place": "math", "how": how})
    assert client.run_query("keeping:find", {"place": "math"}) == "kept"
    client.reset()
    assert client.run_query("keeping:find", {"place": "math"}) == "fresh"


def test_no_code_changes_the_name_of_a_function_of_the_language(client: BackendClient) -> None:
    """A function of the language that has only a name and a length cannot be renamed."""
    with pytest.raises(FunctionError, match="Cannot redefine property: name"):
        client.run_mutation("keeping:rename")

    client.reset()

    assert client.run_query("keeping:nameOfMap") == "map"


def test_a_reset_takes_away_the_last_match(client: BackendClient) -> None:
    """RegExp has no match of the test before."""
    assert client.run_query("keeping:match") is True
    assert client.run_query("keeping:lastMatch") == "secret"
    client.reset()
    assert client.run_query("keeping:lastMatch") == ""


def test_a_reset_ends_a_function_that_is_under_way(client: BackendClient) -> None:
    """An action that a mutation scheduled has no more effect after a reset."""
    client.stub_fetch("https://example.test/")
    client.run_mutation("keeping:goOn")
    while client.run_query("keeping:late") != "7":
        pass
    client.reset()
    client.stub_fetch("https://example.test/")
    assert {client.run_query("keeping:late") for _ in range(20)} == {"undefined"}


def test_a_caller_learns_that_a_reset_ended_its_call(
    client: BackendClient, deployment: Deployment
) -> None:
    """A call that waits when a reset comes fails, and does not wait for ever."""
    messages: list[str] = []

    def call() -> None:
        with BackendClient(deployment.address) as other, pytest.raises(FunctionError) as raised:
            other.run_action("keeping:sleep")
        messages.append(raised.value.message)

    waiting = threading.Thread(target=call)
    waiting.start()
    while client.run_query("keeping:late") != "7":
        pass
    client.reset()
    waiting.join()
    assert "The deployment was reset while this function ran." in messages[0]


def test_a_process_that_was_left_as_it_was_goes_on(client: BackendClient) -> None:
    """Code that changes nothing costs no new process at a reset."""

    def read_process_start() -> object:
        client.stub_fetch("https://example.test/")
        client.run_mutation("asking:chainedMutation")
        return client.run_action("keeping:began")

    before = read_process_start()
    client.reset()
    assert read_process_start() == before


def test_a_reset_takes_away_all_changes_in_node(embedded: Backend) -> None:
    """The Node.js runtime shares more objects, and none of them keeps any data."""
    entries = ", ".join(
        f"{name}: () => ({shared_object})" for name, shared_object in PLACES_OF_NODE.items()
    )
    with create_workspace() as workspace:
        files = {**read_project("operations"), "convex/node.ts": NODE.replace("PLACES", entries)}
        workspace.write(files)
        with (
            embedded.deploy(workspace, 60) as deployment,
            BackendClient(deployment.address) as client,
        ):
            states: dict[str, object] = {}
            for shared_object in PLACES_OF_NODE:
                assert client.run_action("node:keep", {"place": shared_object}) == "function"
                client.reset()
                states[shared_object] = client.run_action("node:find", {"place": shared_object})
    assert states == dict.fromkeys(PLACES_OF_NODE, "fresh")
