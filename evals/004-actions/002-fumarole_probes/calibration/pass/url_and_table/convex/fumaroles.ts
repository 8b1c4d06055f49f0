// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { action } from "./_generated/server";

const REASONS: Record<number, string> = { 401: "refused", 403: "refused", 404: "unknown" };

type Values = { so2: number; co2: number };

function isValues(body: unknown): body is Values {
  const values = body as Partial<Values> | null;
  return typeof values?.so2 === "number" && typeof values.co2 === "number";
}

export const probe = action({
  args: { fumarole: v.string() },
  handler: async (ctx, args) => {
    if (process.env.GAS_KEY === undefined) throw new ConvexError("no key");

    const url = new URL("https://gas.volcano.test");
    url.pathname = `/v1/fumaroles/${encodeURIComponent(args.fumarole)}/latest`;
    url.searchParams.set("unit", "ppm");
    const reply = await fetch(url, {
      method: "GET",
      headers: new Headers([["authorization", "Bearer " + process.env.GAS_KEY]]),
    }).catch(() => null);

    if (reply === null) return { ok: false, reason: "unreachable" };
    if (reply.status === 429) {
      const header = reply.headers.get("retry-after");
      const digits = header !== null && header !== "" && [...header].every((c) => c >= "0" && c <= "9");
      return { ok: false, reason: "busy", retryAfterS: digits ? parseInt(header, 10) : 60 };
    }
    if (reply.status !== 200) {
      return { ok: false, reason: REASONS[reply.status] ?? "outage" };
    }
    const body: unknown = await reply.json().catch(() => undefined);
    return isValues(body)
      ? { ok: true, so2: body.so2, co2: body.co2 }
      : { ok: false, reason: "garbled" };
  },
});
