// What only tests can ask of a deployment: to move its clock, stub the outside, start afresh.
// The real backend has nothing at these addresses.

import { RequestError } from "./errors.mjs";
import { store } from "./storage.mjs";

export const CONTROLS = "/_test/";

/**
 * Answers `POST /_test/<name>` with JSON.
 *
 * @param {string} name
 * @param {any} body
 * @param {import("./deployment.mjs").Deployment} deployment
 */
export async function control(name, body, deployment) {
  const found = ACTIONS[name];
  if (!found) throw new RequestError(404, "UnknownControl", `no test control called ${name}`);
  return (await found(body, deployment)) ?? {};
}

const ACTIONS = {
  now: async (_body, { clock }) => ({ now: clock.now / 1000 }),
  advance: async ({ to, by }, { clock }) => {
    await clock.advanceTo(to === undefined ? clock.now + 1000 * by : 1000 * to);
    return { now: clock.now / 1000 };
  },
  settle: async (_body, { clock }) => clock.settle(),
  stub: async (stub, { outbound }) => outbound.stub(stub),
  fetches: async (_body, { outbound }) => ({ fetches: outbound.seen }),
  env: async ({ name, value }, deployment) => deployment.setEnv(name, value),
  reset: async (_body, deployment) => deployment.reset(),
  store: async ({ body, contentType }, { executor }) => ({
    id: await store(executor, Buffer.from(body, "base64"), contentType),
  }),
};
