"""What a reset leaves of model code in its process: nothing."""

import json
from collections.abc import Iterator

import pytest

from runner.grading.backends import Backend
from runner.grading.backends.base import Deployment
from runner.grading.backends.client import BackendClient
from runner.grading.workspace import create_workspace
from tests.runner.grading.backends.conftest import project

pytestmark = pytest.mark.integration

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
    "outer_process": f"{OUTER}.process",
    "module_of_node": f'{OUTER}.process.getBuiltinModule("fs")',
    "module_of_node_that_was_not_loaded": f'{OUTER}.process.getBuiltinModule("zlib")',
}
KEEPING = """
import { v, ConvexError } from "convex/values";
import { action, internalMutation, mutation, query } from "./_generated/server";
import { internal } from "./_generated/api";

const places: Record<string, () => any> = { PLACES };
export const keep = mutation({
  args: { place: v.string(), how: v.string() },
  handler: (_ctx, { place, how }) => {
    const object = places[place]();
    if (how === "set") Object.defineProperty(object, "kept", { value: 7, configurable: true });
    if (how === "locked") Object.defineProperty(object, "kept", { value: 7 });
    if (how === "symbol") object[Symbol.for("kept")] = 7;
    if (how === "getter") Object.defineProperty(object, "kept", { get: () => 7, configurable: true });
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
export const lastMatch = query({ args: {}, handler: () => (RegExp as any).lastMatch });
export const store = internalMutation({ args: {}, handler: () => { (Math as any).late = 7; } });
export const late = query({ args: {}, handler: () => String((Math as any).late) });
export const goOn = action({
  args: {},
  handler: async (ctx) => {
    (Math as any).late = 7;
    await ctx.scheduler.runAfter(0, internal.keeping.stay, {});
  },
});
export const stay = action({
  args: {},
  handler: async () => {
    for (;;) {
      (Math as any).late = 7;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  },
});
export const pid = query({ args: {}, handler: () => new Function("return this")().process.hrtime() });
"""


@pytest.fixture(scope="module")
def deployment(embedded: Backend) -> Iterator[Deployment]:
    """A project whose functions change the world that they run in."""
    places = ", ".join(f"{name}: () => ({place})" for name, place in PLACES.items())
    with create_workspace() as workspace:
        files = {**project("operations"), "convex/keeping.ts": KEEPING.replace("PLACES", places)}
        workspace.write(files)
        with embedded.deploy(workspace, 60) as deployment:
            yield deployment


@pytest.fixture
def client(deployment: Deployment) -> Iterator[BackendClient]:
    """A client of that deployment, after a reset."""
    with BackendClient(deployment.address) as client:
        client.reset()
        yield client


@pytest.mark.parametrize("place", PLACES)
def test_a_reset_takes_away_whatever_was_set_anywhere(client: BackendClient, place: str) -> None:
    """A property on any object that outlives a call is gone after a reset."""
    client.mutation("keeping:keep", {"place": place, "how": "set"})
    client.reset()
    assert client.query("keeping:find", {"place": place}) == "fresh"
    client.reset()


@pytest.mark.parametrize("how", ["locked", "symbol", "getter", "frozen", "replaced"])
def test_a_reset_takes_away_however_it_was_set(client: BackendClient, how: str) -> None:
    """Locked properties, symbols, getters, frozen and replaced objects are as they were."""
    client.mutation("keeping:keep", {"place": "math", "how": how})
    assert client.query("keeping:find", {"place": "math"}) == "kept"
    client.reset()
    assert client.query("keeping:find", {"place": "math"}) == "fresh"
