// The test controls of a deployment: they move its clock, stub its network, reset it, and so on. The real
// backend does not have these addresses.

import { DeployError, RequestError } from "../errors.mjs";
import { LIMITS } from "../functions/limits.mjs";

export const CONTROLS = "/_test/";

/**
 * Answers `POST /_test/<name>` with JSON.
 *
 * @param {string} name
 * @param {any} body
 * @param {import("../deployment.mjs").Deployment} deployment
 */
export async function control(name, body, deployment) {
  if (!Object.hasOwn(ACTIONS, name)) {
    throw new RequestError(404, "UnknownControl", `There is no test control called ${name}.`);
  }
  return (await ACTIONS[name](body, deployment)) ?? {};
}

const ACTIONS = {
  now: (_body, { clock }) => ({ now: clock.now / 1000 }),
  advance: async ({ to, by }, { clock }) => {
    await clock.advanceTo(to === undefined ? clock.now + 1000 * by : 1000 * to);
    return { now: clock.now / 1000 };
  },
  settle: (_body, { clock }) => clock.settle(),
  stub: (stub, { outbound }) => outbound.stub(stub),
  fetches: (_body, { outbound }) => ({ fetches: outbound.seen }),
  log: (_body, { log }) => log.take(),
  env: ({ name, value }, deployment) => deployment.setEnv(name, value),
  deploy: ({ name }, deployment) => deploy(name, deployment),
  footprints: ({ since }, { footprints }) =>
    since === undefined ? footprints.begin() : footprints.end(since),
  meetings: ({ first, second }, { footprints }) => footprints.meetings(first, second),
  limits: (lowered, { limits }) => lower(limits, lowered),
  reset: (_body, deployment) => deployment.startAfresh(),
  store: async ({ body, contentType }, { storage }) => ({
    id: await storage.store(new Blob([Buffer.from(body, "base64")]), contentType),
  }),
};

/** Deploys another app of the attempt; returns whether there is one, and why it was refused, or null. */
async function deploy(name, deployment) {
  if (!deployment.hasApp(name)) return { exists: false, refusal: null };
  try {
    await deployment.deploy(name);
    return { exists: true, refusal: null };
  } catch (error) {
    if (!(error instanceof DeployError)) throw error;
    return { exists: true, refusal: error.message };
  }
}

/** Lowers limits of transactions, so that tests need only few documents; returns all limits. */
function lower(limits, lowered) {
  for (const [name, most] of Object.entries(lowered)) {
    if (!Object.hasOwn(LIMITS, name))
      throw new RequestError(400, "UnknownLimit", `There is no limit called ${name}.`);
    limits[name] = Math.min(LIMITS[name], most);
  }
  return limits;
}
