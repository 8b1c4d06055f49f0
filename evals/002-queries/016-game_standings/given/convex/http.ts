// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { ConvexError } from "convex/values";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

/** A machine that was offline brings its games: `{ machine, results: [{ name, points, playedAt }] }`. */
http.route({
  path: "/results",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const key = process.env.MACHINE_KEY;
    if (!key || request.headers.get("x-key") !== key) return new Response(null, { status: 401 });
    try {
      const stored = await ctx.runMutation(internal.uploads.store, await request.json());
      return Response.json({ stored });
    } catch (error) {
      const reason = error instanceof ConvexError ? error.data : "bad request";
      return Response.json({ reason }, { status: 400 });
    }
  }),
});

export default http;
