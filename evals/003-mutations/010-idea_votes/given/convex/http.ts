// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { api } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

/** For the badge on other pages. */
http.route({
  path: "/figures.json",
  method: "GET",
  handler: httpAction(async (ctx) => {
    const figures = await ctx.runQuery(api.site.figures, {});
    return Response.json(figures);
  }),
});

export default http;
