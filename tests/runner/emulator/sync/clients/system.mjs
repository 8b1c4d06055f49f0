// Functions of the system over the sync protocol, by the client that test kits use.

import assert from "node:assert/strict";

import { ConvexClient } from "convex/browser";

import { WatchedSocket, address, adminKey, api, run, until } from "./client.mjs";

const options = { webSocketConstructor: /** @type {any} */ (WatchedSocket), logger: false };
/** @type {any} setAdminAuth is not in its types */
const admin = new ConvexClient(address, options);
admin.setAdminAuth(adminKey);
const anybody = new ConvexClient(address, options);

await run({
  async "with the key they answer queries and mutations"() {
    const documents = [{ box: "system", body: "one" }];
    await admin.mutation("_system/frontend/addDocument", { table: "notes", documents });
    const rows = await admin.query("_system/frontend/listTableScan", { table: "notes", limit: 1 });
    assert.deepEqual(
      rows.map(({ body }) => body),
      ["one"],
    );
  },

  async "a subscription follows what they write"() {
    const seen = [];
    admin.onUpdate(api.notes.list, { box: "cleared" }, (bodies) => seen.push(bodies));
    await until(() => seen.length === 1);
    await admin.mutation(api.notes.add, { box: "cleared", body: "there" });
    await until(() => seen.at(-1).length === 1);
    const page = { tableName: "notes", cursor: null };
    const { deleted, hasMore } = await admin.mutation("_system/frontend/clearTablePage", page);
    assert.ok(deleted >= 1 && !hasMore);
    await until(() => seen.at(-1).length === 0);
  },

  async "a subscription follows the variables that its query reads"() {
    const seen = [];
    admin.onUpdate(api.notes.greeting, {}, (greeting) => seen.push(greeting));
    await until(() => seen.length === 1);
    for (const value of ["hello", "bye", null]) {
      await fetch(`${address}/api/update_environment_variables`, {
        method: "POST",
        headers: { authorization: `Convex ${adminKey}` },
        body: JSON.stringify({ changes: [{ name: "GREETING", value }] }),
      });
      await until(() => seen.at(-1) === value);
    }
    assert.deepEqual(seen, [null, "hello", "bye", null]);
  },

  async "without the key they are refused"() {
    const asked = anybody.query(/** @type {any} */ ("_system/cli/tables"), {});
    await assert.rejects(asked, /permission/);
  },
});
