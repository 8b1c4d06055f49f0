// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

http.route({
  path: "/running",
  method: "GET",
  handler: httpAction(async (ctx) => {
    const labels: string[] = await ctx.runQuery(internal.clock.labels, {});
    return Response.json({ site: process.env.SITE, labels });
  }),
});

export default http;
