// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v, type Infer } from "convex/values";
import { action } from "./_generated/server";

const SERVICE = "https://gas.volcano.test/v1/fumaroles";
const USUAL_WAIT_S = 60;

const outcome = v.union(
  v.object({ ok: v.literal(true), so2: v.number(), co2: v.number() }),
  v.object({
    ok: v.literal(false),
    reason: v.union(
      v.literal("garbled"),
      v.literal("unknown"),
      v.literal("refused"),
      v.literal("outage"),
      v.literal("unreachable"),
    ),
  }),
  v.object({ ok: v.literal(false), reason: v.literal("busy"), retryAfterS: v.number() }),
);

type Outcome = Infer<typeof outcome>;

export const probe = action({
  args: { fumarole: v.string() },
  returns: outcome,
  handler: async (_ctx, { fumarole }): Promise<Outcome> => {
    const key = process.env.GAS_KEY;
    if (!key) {
      throw new ConvexError("no key");
    }
    let reply: Response;
    try {
      reply = await fetch(`${SERVICE}/${encodeURIComponent(fumarole)}/latest?unit=ppm`, {
        headers: { Authorization: `Bearer ${key}` },
      });
    } catch {
      return { ok: false, reason: "unreachable" };
    }
    if (reply.status >= 400) {
      throw new Error(`The service answered ${reply.status}`);
    }
    switch (reply.status) {
      case 200:
        return await readValues(reply);
      case 404:
        return { ok: false, reason: "unknown" };
      case 401:
      case 403:
        return { ok: false, reason: "refused" };
      case 429:
        return { ok: false, reason: "busy", retryAfterS: waitOf(reply) };
      default:
        return { ok: false, reason: "outage" };
    }
  },
});

async function readValues(reply: Response): Promise<Outcome> {
  let body: unknown;
  try {
    body = await reply.json();
  } catch {
    return { ok: false, reason: "garbled" };
  }
  if (typeof body !== "object" || body === null) {
    return { ok: false, reason: "garbled" };
  }
  const { so2, co2 } = body as { so2?: unknown; co2?: unknown };
  if (typeof so2 !== "number" || typeof co2 !== "number") {
    return { ok: false, reason: "garbled" };
  }
  return { ok: true, so2, co2 };
}

function waitOf(reply: Response): number {
  const header = reply.headers.get("Retry-After") ?? "";
  return /^\d+$/.test(header) ? Number(header) : USUAL_WAIT_S;
}
