// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"use node";

import { ConvexError, v } from "convex/values";
import { action } from "./_generated/server";
import { ask, type Reply } from "./service";

export const probe = action({
  args: { fumarole: v.string() },
  returns: v.union(
    v.object({ ok: v.literal(true), so2: v.float64(), co2: v.float64() }),
    v.object({ ok: v.literal(false), reason: v.string(), retryAfterS: v.optional(v.float64()) }),
  ),
  handler: async (_ctx, { fumarole }) => {
    const key = process.env.GAS_KEY;
    if (!key) throw new ConvexError("no key");
    const reply = await ask(fumarole, key);
    return reply === null ? failure("unreachable") : judged(reply);
  },
});

function failure(reason: string) {
  return { ok: false as const, reason };
}

function judged({ status, text, retryAfter }: Reply) {
  if (status === 429) {
    const waits = /^[0-9]+$/.test(retryAfter ?? "");
    return { ...failure("busy"), retryAfterS: waits ? Number(retryAfter) : 60 };
  }
  if (status === 404) return failure("unknown");
  if (status === 401 || status === 403) return failure("refused");
  if (status !== 200) return failure("outage");
  try {
    const { so2, co2 } = JSON.parse(text);
    if (typeof so2 === "number" && typeof co2 === "number") {
      return { ok: true as const, so2, co2 };
    }
  } catch {
    // What cannot be parsed, or taken apart, is garbled like the rest.
  }
  return failure("garbled");
}
