// The hooks of convex/react, in React as it is, without a window.

import assert from "node:assert/strict";

import { JSDOM } from "jsdom";

import { adminKey, api, connect, run, sockets, until } from "./client.mjs";

const { window } = new JSDOM("<div id='root'></div>");
Object.assign(globalThis, { window, document: window.document });
// Node has a navigator of its own, which cannot be assigned to.
Object.defineProperty(globalThis, "navigator", { value: window.navigator });
const { Component, createElement } = await import("react");
const { createRoot } = await import("react-dom/client");
const { ConvexProvider, useAction, useMutation, useQueries, useQuery } =
  await import("convex/react");

/** Renders a component below a provider; what `render` returns is kept as `shown`. */
function mount(client, render) {
  const mounted = { shown: /** @type {any} */ (undefined), error: /** @type {any} */ (null) };
  class Boundary extends Component {
    componentDidCatch(error) {
      mounted.error = error;
    }
    static getDerivedStateFromError() {
      return { failed: true };
    }
    render() {
      const { failed } = /** @type {any} */ (this.state ?? {});
      return failed ? null : /** @type {any} */ (this.props).children;
    }
  }
  function Shown() {
    mounted.shown = render();
    return null;
  }
  const place = window.document.createElement("div");
  const root = createRoot(place, { onCaughtError: () => {} });
  const inside = createElement(Boundary, null, createElement(Shown));
  root.render(createElement(ConvexProvider, { client, children: inside }));
  return Object.assign(mounted, { leave: () => root.unmount() });
}

await run({
  async "useQuery follows a mutation of useMutation"() {
    const client = connect();
    const mounted = mount(client, () => ({
      notes: useQuery(api.notes.list, { box: "hooks" }),
      add: useMutation(api.notes.add),
    }));
    await until(() => mounted.shown?.notes?.length === 0);
    assert.equal(await mounted.shown.add({ box: "hooks", body: "one" }), 3);
    await until(() => mounted.shown.notes.length === 1);
    mounted.leave();
    await client.close();
  },

  async "a skipped query asks nothing"() {
    const client = connect();
    let isSkipped = true;
    const mounted = mount(client, () => [
      useQuery(api.notes.list, isSkipped ? "skip" : { box: "skipped" }),
      useQuery(api.notes.whoami, {}),
    ]);
    await until(() => mounted.shown?.[1] === null);
    assert.equal(mounted.shown[0], undefined);
    isSkipped = false;
    client.setAdminAuth(adminKey, { subject: "ann", issuer: "https://users.test" });
    await until(() => mounted.shown[1] === "ann" && mounted.shown[0]?.length === 0);
    mounted.leave();
    await client.close();
  },

  async "useQueries follows a hundred queries over a dropped line"() {
    const client = connect();
    const queries = Object.fromEntries(
      Array.from({ length: 100 }, (_, n) => [
        `q${n}`,
        { query: api.notes.list, args: { box: `hook ${n}` } },
      ]),
    );
    const mounted = mount(client, () => useQueries(queries));
    const isThere = () => Object.values(mounted.shown ?? {}).every((notes) => Array.isArray(notes));
    await until(() => mounted.shown && isThere(), "each query has a result");
    sockets.at(-1).terminate();
    await client.mutation(api.notes.add, { box: "hook 42", body: "again" });
    await until(() => mounted.shown.q42.length === 1);
    mounted.leave();
    await client.close();
  },

  async "useAction answers"() {
    const client = connect();
    const mounted = mount(client, () => useAction(api.notes.echo));
    await until(() => mounted.shown);
    assert.equal(await mounted.shown({ value: 5n }), 5n);
    mounted.leave();
    await client.close();
  },

  async "optimistic updates are shown in the order of their mutations"() {
    const client = connect();
    const states = [];
    const mounted = mount(client, () => {
      const notes = useQuery(api.notes.list, { box: "guess" });
      states.push(notes);
      const add = useMutation(api.notes.add).withOptimisticUpdate((store, { box, body }) => {
        const known = store.getQuery(api.notes.list, { box }) ?? [];
        store.setQuery(api.notes.list, { box }, [...known, body]);
      });
      return { notes, add };
    });
    await until(() => mounted.shown?.notes);
    const adding = ["a", "b", "c"].map((body) => mounted.shown.add({ box: "guess", body }));
    await Promise.all(adding);
    await until(() => mounted.shown.notes.length === 3);
    // Each state begins with the one before: no guess is taken back, none shown twice.
    for (const notes of states.filter(Boolean))
      assert.equal("abc".startsWith(notes.join("")), true);
    mounted.leave();
    await client.close();
  },

  async "a query that fails throws into the page, with its data"() {
    const client = connect();
    const mounted = mount(client, () => useQuery(api.notes.fail, {}));
    await until(() => mounted.error !== null);
    assert.deepEqual(mounted.error.data, { code: 7n });
    mounted.leave();
    await client.close();
  },
});
