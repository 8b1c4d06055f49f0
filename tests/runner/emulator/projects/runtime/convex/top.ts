// Values that are made while the module is loaded, and those of the call.

import { action, httpAction, mutation, query } from "./_generated/server";
import { shared } from "./shared";

const top = {
  now: Date.now(),
  date: new Date().getTime(),
  text: Date(),
  random: Math.random(),
  id: crypto.randomUUID(),
  bytes: [...crypto.getRandomValues(new Uint8Array(4))],
  performance: performance.now(),
  shared,
};
export const handler = () => ({ top, now: Date.now(), random: Math.random() });

export const read = query({ args: {}, handler });
export const write = mutation({ args: {}, handler });
export const act = action({ args: {}, handler });
export const answer = httpAction(async () => Response.json(handler()));
export const late = action({
  args: {},
  handler: async () => ({ loadedLate: (await import("./late")).loadedAt, now: Date.now() }),
});
