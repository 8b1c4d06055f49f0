// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

/** Partners report minutes: { from, to, minutes, text }, with the subjects of the members. */
http.route({
  path: "/partner/minutes",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const key = process.env.PARTNER_KEY;
    if (!key || request.headers.get("X-Partner-Key") !== key) {
      return Response.json({ ok: false, reason: "forbidden" }, { status: 403 });
    }
    const { from, to, minutes, text } = await request.json();
    const args = { from, to, minutes, text };
    const answer: { ok: boolean } = await ctx.runMutation(internal.payments.receive, args);
    return Response.json(answer, { status: answer.ok ? 200 : 422 });
  }),
});

export default http;
