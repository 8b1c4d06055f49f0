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
    try {
      const reply = await fetch(`${SERVICE}/${encodeURIComponent(fumarole)}/latest?unit=ppm`, {
        headers: { Authorization: `Bearer ${key}` },
      });
      switch (reply.status) {
        case 200: {
          const body = (await reply.json()) as { so2: unknown; co2: unknown };
          return typeof body.so2 === "number" && typeof body.co2 === "number"
            ? { ok: true, so2: body.so2, co2: body.co2 }
            : { ok: false, reason: "garbled" };
        }
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
    } catch {
      return { ok: false, reason: "unreachable" };
    }
  },
});

function waitOf(reply: Response): number {
  const header = reply.headers.get("Retry-After") ?? "";
  return /^\d+$/.test(header) ? Number(header) : USUAL_WAIT_S;
}
