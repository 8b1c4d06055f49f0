// ConvexHttpClient: calls, errors, callers, functions of the system.

import assert from "node:assert/strict";

import { ConvexHttpClient } from "convex/browser";
import { ConvexError } from "convex/values";

import { address, adminKey, api, run } from "./client.mjs";

/** @returns {any} a client, whose setAdminAuth is not in its types */
const open = (options = {}) => new ConvexHttpClient(address, { logger: false, ...options });

await run({
  async "queries, mutations and actions answer"() {
    const client = open();
    assert.equal(await client.mutation(api.notes.add, { box: "http", body: "one" }), 3);
    assert.deepEqual(await client.query(api.notes.list, { box: "http" }), ["one"]);
    const value = { big: 2n ** 62n, bytes: new Uint8Array([0, 255]).buffer, odd: [-0, NaN, null] };
    assert.deepEqual(await client.action(api.notes.echo, { value }), value);
  },

  async "consistent queries of a client see one moment"() {
    const client = open();
    const box = "moment";
    const look = () => client.consistentQuery(api.notes.list, { box });
    await client.mutation(api.notes.add, { box, body: "one" });
    assert.deepEqual(await look(), ["one"]);
    await client.mutation(api.notes.add, { box, body: "two" });
    assert.deepEqual(await look(), ["one"]);
    await client.mutation(api.notes.clear, { box });
    await client.mutation(api.notes.add, { box, body: "three" });
    assert.deepEqual(await look(), ["one"]);
    assert.deepEqual(await client.query(api.notes.list, { box }), ["three"]);
    assert.deepEqual(await open().consistentQuery(api.notes.list, { box }), ["three"]);
  },

  async "a time of which no data is known is refused"() {
    for (const ts of ["AAAAAAAAAAA=", "//////////8=", "AA", 5, undefined]) {
      const body = JSON.stringify({ path: "notes:list", args: { box: "moment" }, ts });
      const response = await fetch(`${address}/api/query_at_ts`, { method: "POST", body });
      assert.equal(response.status, 400);
    }
  },

  async "mutations wait for one another"() {
    const client = open();
    const bodies = Array.from({ length: 20 }, (_, n) => `n${n}`);
    await Promise.all(bodies.map((body) => client.mutation(api.notes.add, { box: "queue", body })));
    assert.deepEqual(await client.query(api.notes.list, { box: "queue" }), bodies);
  },

  async "errors carry message and data"() {
    const client = open();
    const isOurs = (/** @type {any} */ error) =>
      error instanceof ConvexError && error.data.code === 7n;
    await assert.rejects(client.query(api.notes.fail, {}), isOurs);
    await assert.rejects(client.query(api.notes.list, { box: 1 }), /ArgumentValidationError/);
    await assert.rejects(client.query(api.notes.nowhere, {}), /Could not find public function/);
    await assert.rejects(
      client.query(api.notes.add, {}),
      /as Query, but it is defined as Mutation/,
    );
  },

  async "the key acts as a user, calls internal functions and those of the system"() {
    const client = open();
    client.setAdminAuth(adminKey, { subject: "ann", issuer: "https://users.test" });
    assert.equal(await client.query(api.notes.whoami, {}), "ann");
    client.setAdminAuth(adminKey);
    await client.mutation(api.notes.addScheduled, { box: "by key", body: "x" });
    const rows = await client.query("_system/frontend/listTableScan", { table: "notes", limit: 1 });
    assert.equal(rows[0].box, "by key");
    const tables = await client.query("_system/cli/tables", {
      paginationOpts: { numItems: 10, cursor: null },
    });
    assert.deepEqual(tables.page, [{ name: "notes" }]);
    await client.mutation("_system/frontend/patchDocumentsFields", {
      table: "notes",
      ids: [rows[0]._id],
      fields: { body: "patched" },
    });
    assert.deepEqual(await client.query(api.notes.list, { box: "by key" }), ["patched"]);
  },

  async "functions of the system are refused without the key"() {
    const asked = open().query("_system/cli/tables", {});
    await assert.rejects(asked, /permission/);
  },

  async "a token of no provider is refused"() {
    const client = open();
    client.setAuth("header.e30.signature");
    await assert.rejects(client.query(api.notes.whoami, {}));
    client.clearAuth();
    assert.equal(await client.query(api.notes.whoami, {}), null);
  },
});
