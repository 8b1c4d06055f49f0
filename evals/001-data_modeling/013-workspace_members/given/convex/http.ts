// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";
import type { Changes } from "./directory";

const MOST_CHANGES = 50;
const http = httpRouter();

function isAllowed(request: Request): boolean {
  const key = process.env.DIRECTORY_KEY;
  return key !== undefined && request.headers.get("authorization") === `Bearer ${key}`;
}

http.route({
  path: "/directory",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    if (!isAllowed(request)) return new Response(null, { status: 401 });
    const changes = (await request.json()) as Changes;
    if (changes.join.length + changes.leave.length > MOST_CHANGES) {
      return new Response(null, { status: 413 });
    }
    const members = await ctx.runMutation(internal.directory.apply, { changes });
    return members === null ? new Response(null, { status: 404 }) : Response.json({ members });
  }),
});

http.route({
  path: "/directory",
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    if (!isAllowed(request)) return new Response(null, { status: 401 });
    const search = new URL(request.url).searchParams;
    const [slug, user] = [search.get("slug") ?? "", search.get("user") ?? ""];
    const found = await ctx.runQuery(internal.directory.look, { slug, user });
    return found === null ? new Response(null, { status: 404 }) : Response.json(found);
  }),
});

export default http;
