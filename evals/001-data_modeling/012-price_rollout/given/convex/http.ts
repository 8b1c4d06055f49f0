// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

http.route({
  path: "/feed",
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    const shelf = new URL(request.url).searchParams.get("shelf");
    if (shelf === null) return new Response("which shelf?", { status: 400 });
    return Response.json(await ctx.runQuery(internal.catalog.browse.feed, { shelf }));
  }),
});

export default http;
