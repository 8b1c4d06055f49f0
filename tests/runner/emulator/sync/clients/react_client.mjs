import assert from "node:assert/strict";

import { ConvexClient } from "convex/browser";

import {
  address,
  adminKey,
  api,
  connect,
  sockets,
  until,
  watch,
  WatchedSocket,
  run,
} from "./client.mjs";

const scenarios = {
  async "a subscription follows mutations"() {
    const client = connect();
    const notes = watch(client, api.notes.list, { box: "a" });
    assert.equal(await client.mutation(api.notes.add, { box: "a", body: "one" }), 3);
    // The promise of a mutation settles when its effect is in the results.
    assert.deepEqual(notes.value, ["one"]);
    await client.mutation(api.notes.addLater, { box: "a", body: "two" });
    await until(() => notes.value?.length === 2, "the scheduled note is there");
    await client.close();
  },

  async "only what changed is sent"() {
    const client = connect();
    const [here, there] = ["b", "c"].map((box) => watch(client, api.notes.list, { box }));
    await until(() => here.value && there.value);
    const socket = sockets.at(-1);
    await client.mutation(api.notes.add, { box: "b", body: "one" });
    const later = socket.received.filter((message) => message.type === "Transition").slice(1);
    const changed = later.flatMap((message) => message.modifications);
    assert.equal(changed.filter((change) => change.type === "QueryUpdated").length, 1);
    await client.close();
  },

  async "transitions join and reach the timestamp of each response"() {
    const client = connect();
    const notes = watch(client, api.notes.list, { box: "d" });
    const adding = Array.from({ length: 40 }, (_, n) =>
      client.mutation(api.notes.add, { box: "d", body: `n${n}` }),
    );
    await Promise.all(adding);
    assert.equal(notes.value.length, 40);
    assert.deepEqual(
      notes.value,
      [...Array(40).keys()].map((n) => `n${n}`),
    );
    let ts = 0n;
    let reached = true;
    const number = (text) => Buffer.from(text, "base64").readBigUInt64LE();
    for (const message of sockets.at(-1).received) {
      if (message.type === "MutationResponse") {
        assert(number(message.ts) > ts);
        reached = false;
      }
      if (message.type !== "Transition") continue;
      assert.equal(number(message.startVersion.ts), ts);
      assert(number(message.endVersion.ts) >= ts);
      ts = number(message.endVersion.ts);
      reached = true;
    }
    assert(reached, "a transition follows the last response");
    await client.close();
  },

  async "an optimistic update is shown, and taken back on an error"() {
    const client = connect();
    const notes = watch(client, api.notes.list, { box: "e" });
    await until(() => notes.value);
    const optimisticUpdate = (store, { box, body }) => {
      const known = store.getQuery(api.notes.list, { box });
      store.setQuery(api.notes.list, { box }, [...known, `${body}?`]);
    };
    const refused = client.mutation(api.notes.add, { box: "e", body: "" }, { optimisticUpdate });
    assert.deepEqual(notes.value, ["?"]);
    await assert.rejects(refused, (/** @type {any} */ error) => error.data.code === "empty");
    assert.deepEqual(notes.value, []);
    await client.mutation(api.notes.add, { box: "e", body: "x" }, { optimisticUpdate });
    assert.deepEqual(notes.value, ["x"]);
    // No moment with neither or both of the guess and the fact.
    assert(
      notes.seen.every((seen) => seen.length <= 1),
      JSON.stringify(notes.seen),
    );
    await client.close();
  },

  async "a mutation in flight while the line is cut runs exactly once"() {
    const client = connect();
    const notes = watch(client, api.notes.list, { box: "f" });
    await until(() => notes.value);
    for (const delay of [0, 2, 6]) {
      WatchedSocket.beforeSend = (message, socket) => {
        if (message.type !== "Mutation") return;
        WatchedSocket.beforeSend = () => {};
        setTimeout(() => socket.terminate(), delay);
      };
      await client.mutation(api.notes.add, { box: "f", body: `cut ${delay}` });
    }
    assert.deepEqual(notes.value, ["cut 0", "cut 2", "cut 6"]);
    await client.close();
  },

  async "errors carry message and data"() {
    const client = connect();
    await assert.rejects(
      client.query(api.notes.fail),
      (/** @type {any} */ error) => error.data.code === 7n,
    );
    await assert.rejects(client.mutation(api.notes.add, { box: 1 }), /ArgumentValidationError/);
    await assert.rejects(
      client.mutation(api.notes.addScheduled, { box: "", body: "" }),
      /Could not find/,
    );
    await assert.rejects(client.action(api.nowhere.echo, {}), /Could not find/);
    await client.close();
  },

  async "values keep their types"() {
    const client = connect();
    const value = { big: 2n ** 62n, bytes: new Uint8Array([0, 255]).buffer, odd: [-0, NaN, null] };
    const back = await client.action(api.notes.echo, { value });
    assert.deepEqual(back, value);
    await client.close();
  },

  async "the admin key acts as a user, and others are turned away"() {
    const client = connect();
    const who = watch(client, api.notes.whoami, {});
    await until(() => who.value === null);
    client.setAdminAuth(adminKey, { subject: "ann", issuer: "https://users.test" });
    await until(() => who.value === "ann");
    client.clearAuth();
    await until(() => who.value === null);
    const heard = [];
    client.setAuth(
      async () => "header.eyJleHAiOjk5OTk5OTk5OTl9.signature",
      (ok) => heard.push(ok),
    );
    await until(() => heard.includes(false), "the client hears that it is not signed in");
    assert.equal(who.value, null);
    await client.close();
  },

  async "the plain client works as well"() {
    const client = new ConvexClient(address, {
      webSocketConstructor: /** @type {any} */ (WatchedSocket),
      logger: false,
    });
    const seen = [];
    const stop = client.onUpdate(api.notes.list, { box: "g" }, (notes) => seen.push(notes));
    await until(() => seen.length === 1);
    await client.mutation(api.notes.add, { box: "g", body: "one" });
    await until(() => seen.length === 2);
    assert.deepEqual(seen, [[], ["one"]]);
    stop();
    await client.close();
  },
};

await run(scenarios);
