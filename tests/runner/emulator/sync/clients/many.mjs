// ConvexClient: many subscriptions, a dropped line, errors, callers.

import assert from "node:assert/strict";

import { ConvexClient } from "convex/browser";
import { ConvexError } from "convex/values";

import { WatchedSocket, address, adminKey, api, run, sockets, until } from "./client.mjs";

const MANY = 100;
const boxes = Array.from({ length: MANY }, (_, n) => `many ${n}`);

/** @returns {any} a client, whose setAdminAuth is not in its types */
function open() {
  return new ConvexClient(address, {
    webSocketConstructor: /** @type {any} */ (WatchedSocket),
    logger: false,
  });
}

/** Subscribes to each box, and keeps all results that arrive. */
function follow(client) {
  return boxes.map((box) => {
    const seen = [];
    client.onUpdate(api.notes.list, { box }, (notes) => seen.push(notes));
    return seen;
  });
}

await run({
  async "a hundred subscriptions each follow what is theirs"() {
    const client = open();
    const all = follow(client);
    await until(() => all.every((seen) => seen.length === 1), "each has its first result");
    for (const n of [3, 50, 99]) await client.mutation(api.notes.add, { box: boxes[n], body: "x" });
    await until(() => [3, 50, 99].every((n) => all[n].length === 2), "the changed ones hear of it");
    for (const [n, seen] of all.entries()) {
      assert.deepEqual(seen, [3, 50, 99].includes(n) ? [[], ["x"]] : [[]]);
    }
    await client.close();
  },

  async "a large transition comes in one piece"() {
    const client = open();
    const body = "x".repeat(1_000_000);
    for (let n = 0; n < 6; n++) await client.mutation(api.notes.add, { box: "large", body });
    const seen = [];
    client.onUpdate(api.notes.list, { box: "large" }, (notes) => seen.push(notes));
    await until(() => seen.length === 1, "the large result is there");
    const { received } = sockets.at(-1);
    const types = new Set(received.map(({ type }) => type));
    assert.ok(!types.has("TransitionChunk"), [...types].join(", "));
    assert.ok(JSON.stringify(received.at(-1)).length > 6_000_000);
    await client.mutation(api.notes.clear, { box: "large" });
    await client.close();
  },

  async "a hundred subscriptions survive a dropped line"() {
    const [client, other] = [open(), open()];
    const all = follow(client);
    await until(() => all.every((seen) => seen.length > 0));
    const before = sockets.length;
    sockets.at(-1).terminate();
    await other.mutation(api.notes.add, { box: boxes[7], body: "meanwhile" });
    await until(() => all[7].at(-1).includes("meanwhile"), "what was written meanwhile arrives");
    assert.ok(sockets.length >= before);
    await client.mutation(api.notes.add, { box: boxes[8], body: "after" });
    await until(() => all[8].at(-1).includes("after"), "it is connected again");
    assert.equal(client.connectionState().isWebSocketConnected, true);
    await Promise.all([client.close(), other.close()]);
  },

  async "a subscription that is left hears no more"() {
    const client = open();
    const seen = [];
    const leave = client.onUpdate(api.notes.list, { box: "left" }, (notes) => seen.push(notes));
    await until(() => seen.length === 1);
    leave();
    await client.mutation(api.notes.add, { box: "left", body: "unheard" });
    assert.deepEqual(await client.query(api.notes.list, { box: "left" }), ["unheard"]);
    assert.deepEqual(seen, [[]]);
    await client.close();
  },

  async "a subscription that fails hears the data of the error"() {
    const client = open();
    const errors = [];
    client.onUpdate(
      api.notes.fail,
      {},
      () => assert.fail("it cannot succeed"),
      (error) => errors.push(error),
    );
    await until(() => errors.length === 1);
    assert.ok(errors[0] instanceof ConvexError);
    assert.deepEqual(errors[0].data, { code: 7n });
    await client.close();
  },

  async "mutations of a client run in the order of their calls"() {
    const client = open();
    const bodies = Array.from({ length: 30 }, (_, n) => `n${n}`);
    await Promise.all(bodies.map((body) => client.mutation(api.notes.add, { box: "order", body })));
    assert.deepEqual(await client.query(api.notes.list, { box: "order" }), bodies);
    await client.close();
  },

  async "a refused mutation does not stop those behind it"() {
    const client = open();
    const outcomes = await Promise.allSettled(
      ["one", "", "two"].map((body) => client.mutation(api.notes.add, { box: "refused", body })),
    );
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
    assert.deepEqual(await client.query(api.notes.list, { box: "refused" }), ["one", "two"]);
    await client.close();
  },

  async "a mutation that is sent while the line is down arrives once"() {
    const client = open();
    await client.query(api.notes.list, { box: "down" });
    sockets.at(-1).terminate();
    assert.equal(await client.mutation(api.notes.add, { box: "down", body: "once" }), 4);
    assert.deepEqual(await client.query(api.notes.list, { box: "down" }), ["once"]);
    await client.close();
  },

  async "a subscription is answered anew for another caller"() {
    const client = open();
    const seen = [];
    client.onUpdate(api.notes.whoami, {}, (name) => seen.push(name));
    await until(() => seen.length === 1);
    client.setAdminAuth(adminKey, { subject: "ann", issuer: "https://users.test" });
    await until(() => seen.at(-1) === "ann");
    client.setAdminAuth(adminKey, { subject: "bob", issuer: "https://users.test" });
    await until(() => seen.at(-1) === "bob");
    assert.deepEqual(seen, [null, "ann", "bob"]);
    await client.close();
  },

  async "the caller is the same after a dropped line"() {
    const client = open();
    client.setAdminAuth(adminKey, { subject: "ann", issuer: "https://users.test" });
    assert.equal(await client.query(api.notes.whoami, {}), "ann");
    sockets.at(-1).terminate();
    assert.equal(await client.query(api.notes.whoami, {}), "ann");
    await client.close();
  },

  async "internal functions are for the key"() {
    const [admin, anybody] = [open(), open()];
    admin.setAdminAuth(adminKey);
    const note = { box: "internal", body: "by the key" };
    await admin.mutation(api.notes.addScheduled, note);
    assert.deepEqual(await anybody.query(api.notes.list, { box: "internal" }), ["by the key"]);
    await assert.rejects(anybody.mutation(api.notes.addScheduled, note), /Could not find public/);
    await Promise.all([admin.close(), anybody.close()]);
  },
});
