// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

// Called by the service that looks at pictures and texts: { "post": "...", "verdict": "hide" | "clear" }.
http.route({
  path: "/moderation",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const secret = process.env.MODERATION_SECRET ?? "";
    if (secret === "" || request.headers.get("x-secret") !== secret)
      return new Response("forbidden", { status: 403 });
    const body: unknown = await request.json().catch(() => null);
    if (typeof body !== "object" || body === null) return new Response("bad", { status: 400 });
    const { post, verdict } = body as { post?: unknown; verdict?: unknown };
    if (typeof post !== "string" || (verdict !== "hide" && verdict !== "clear"))
      return new Response("bad", { status: 400 });
    const hidden = verdict === "hide";
    const exists = await ctx.runMutation(internal.moderation.flagged, { post, hidden });
    return new Response(null, { status: exists ? 204 : 404 });
  }),
});

export default http;
