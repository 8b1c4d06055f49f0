// usePaginatedQuery over growing pages, in React as it is, without a window.

import assert from "node:assert/strict";

import { JSDOM } from "jsdom";

import { api, connect, sockets, until, run } from "./client.mjs";

const { window } = new JSDOM("<div id='root'></div>");
Object.assign(globalThis, { window, document: window.document });
// Node has a navigator of its own, which cannot be assigned to.
Object.defineProperty(globalThis, "navigator", { value: window.navigator });
const { createElement } = await import("react");
const { createRoot } = await import("react-dom/client");
const { ConvexProvider, usePaginatedQuery } = await import("convex/react");

let latest;
function Notes({ box }) {
  latest = usePaginatedQuery(api.notes.page, { box }, { initialNumItems: 3 });
  return null;
}

const client = connect();
const root = createRoot(/** @type {HTMLElement} */ (document.getElementById("root")));
const bodies = () => latest.results.map((note) => note.body);
const add = (body) => client.mutation(api.notes.add, { box: "pages", body });

const scenarios = {
  async "pages load one after the other"() {
    for (let n = 0; n < 8; n++) await add(`n${n}`);
    const notes = createElement(Notes, { box: "pages" });
    root.render(createElement(ConvexProvider, { client }, notes));
    await until(() => latest?.status === "CanLoadMore");
    assert.deepEqual(bodies(), ["n7", "n6", "n5"]);
    latest.loadMore(3);
    await until(() => latest.results.length === 6);
    assert.deepEqual(bodies(), ["n7", "n6", "n5", "n4", "n3", "n2"]);
  },

  async "a page grows with what is written into it, without gap or overlap"() {
    await add("n8");
    await until(() => latest.results.length === 7);
    assert.deepEqual(bodies(), ["n8", "n7", "n6", "n5", "n4", "n3", "n2"]);
  },

  async "pages stay joined over a reconnect"() {
    sockets.at(-1).terminate();
    await add("n9");
    await until(() => latest.results.length === 8);
    assert.deepEqual(bodies(), ["n9", "n8", "n7", "n6", "n5", "n4", "n3", "n2"]);
  },

  async "a page much larger than asked for is split, and shows the same"() {
    for (let n = 10; n < 18; n++) await add(`n${n}`);
    await until(() => latest.results.length === 16 && latest.status === "CanLoadMore");
    await until(() => {
      // A click that comes while a page is split is lost, so a person clicks again.
      if (latest.status === "CanLoadMore") latest.loadMore(3);
      return latest.status === "Exhausted";
    }, "the last page is there");
    assert.deepEqual(
      bodies(),
      [...Array(18).keys()].reverse().map((n) => `n${n}`),
    );
  },

  async "the end stays the end"() {
    await client.mutation(api.notes.clear, { box: "pages" });
    await until(() => latest.results.length === 0);
    await add("new");
    await until(() => latest.results.length === 1, "what is written after a clearing is shown");
    assert.equal(latest.status, "Exhausted");
  },
};

await run(scenarios);
