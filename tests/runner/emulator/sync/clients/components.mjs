// Functions of components over the sync protocol, as the dashboard calls them.

import assert from "node:assert/strict";

import { BaseConvexClient } from "convex/browser";

import { WatchedSocket, address, adminKey, run, until } from "./client.mjs";

const options = { webSocketConstructor: /** @type {any} */ (WatchedSocket), logger: false };

/** @returns {any} a client, whose methods for components are not in its types */
function connect() {
  return new BaseConvexClient(address, () => {}, options);
}

const admin = connect();
admin.setAdminAuth(adminKey);
const anybody = connect();

await run({
  async "a subscription follows mutations in the component"() {
    const query = ["marks:count", {}];
    const { queryToken } = admin.subscribe(...query, { componentPath: "tally" });
    const counted = () => admin.localQueryResultByToken(queryToken);
    await until(() => counted() === 0);
    const args = { text: "one" };
    const made = await admin.mutationInternal("marks:make", args, undefined, "tally");
    assert.equal(made.success, true);
    await until(() => counted() === 1);
  },

  async "an action runs in the component"() {
    const done = await admin.actionInternal("marks:upper", { text: "one" }, "tally");
    assert.equal(done.value, "ONE");
  },

  async "nobody else reaches it, and no other component is there"() {
    const refused = await anybody.actionInternal("marks:upper", { text: "one" }, "tally");
    assert.match(refused.errorMessage, /permission/);
    const missing = await admin.actionInternal("marks:upper", { text: "one" }, "none");
    assert.match(missing.errorMessage, /Component "none" not found/);
  },
});
