// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

/** The number on a badge that other pages embed: GET /badge?idea=ID. */
http.route({
  path: "/badge",
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    const idea = new URL(request.url).searchParams.get("idea") ?? "";
    const votes: number | null = await ctx.runQuery(internal.badges.votesOf, { idea });
    if (votes === null) return new Response("unknown", { status: 404 });
    return new Response(`${votes} votes`);
  }),
});

export default http;
