// Drives a deployment with Convex's own ConvexHttpClient, unchanged, and prints what it saw.
//
//   node http_client.mjs ORIGIN ADMIN_KEY

import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { ConvexError } from "convex/values";

const [origin, adminKey] = process.argv.slice(2);
const { notes, values } = anyApi;
/** @type {any} setAdminAuth is not in its types */
const client = new ConvexHttpClient(origin, { logger: false });

const id = await client.mutation(notes.add, { text: "by the client", rank: 2 });
const listed = await client.query(notes.list, {});
const echoed = await client.query(values.typed, {
  bytes: new Uint8Array([1, 2]).buffer,
  whole: 41n,
});
const counted = await client.action(notes.throughAction, { text: "by action" });
const consistent = await client.consistentQuery(notes.list, {});

/** @type {(call: () => Promise<unknown>) => Promise<any>} what a call threw; null if it did not */
const failed = async (call) => {
  try {
    await call();
    return null;
  } catch (error) {
    return {
      isConvexError: error instanceof ConvexError,
      data: error.data,
      message: error.message,
    };
  }
};
const refused = await failed(() => client.mutation(notes.refuse, {}));
const crashed = await failed(() => client.query(notes.crash, {}));
const hidden = await failed(() => client.query(notes.secret, {}));
client.setAdminAuth(adminKey);
const secret = await client.query(notes.secret, {});
client.setAdminAuth(adminKey, { subject: "ada", issuer: "https://users.test" });
const identity = await client.query(notes.whoami, {});
client.setAuth("not.a.token");
const unauthorized = await failed(() => client.query(notes.list, {}));

const seen = {
  inserted: listed.length === 1 && listed[0]._id === id,
  bytes: [...new Uint8Array(echoed.bytes)],
  whole: String(echoed.whole),
  counted,
  consistent: consistent.length,
  refused: { isConvexError: refused.isConvexError, code: String(refused.data.code) },
  crashed:
    crashed.isConvexError === false && crashed.message.includes("Uncaught Error: something broke"),
  hidden: hidden.message.includes("Could not find public function"),
  secret,
  identity: identity.tokenIdentifier,
  unauthorized: unauthorized !== null,
};
console.log(JSON.stringify(seen));
