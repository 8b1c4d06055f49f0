// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const LARGEST = 100_000;

const http = httpRouter();

http.route({
  path: "/scans",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const cave = new URL(request.url).searchParams.get("cave");
    if (!cave) {
      return text("no cave", 400);
    }
    const body = await request.text();
    if (body.length > LARGEST) {
      return text("too large", 413);
    }
    if (body.length === 0) {
      return text("no scan", 400);
    }
    const contentType = request.headers.get("Content-Type") ?? "application/octet-stream";
    const file = await ctx.storage.store(new Blob([body], { type: contentType }));
    const id = await ctx.runMutation(internal.scans.add, { cave, file, contentType });
    return new Response(JSON.stringify({ id }), {
      status: 201,
      headers: { "Content-Type": "application/json", Location: `/scans?id=${id}` },
    });
  }),
});

http.route({
  path: "/scans",
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    const id = new URL(request.url).searchParams.get("id") ?? "";
    const scan = await ctx.runQuery(internal.scans.find, { id });
    const file = scan && (await ctx.storage.get(scan.file));
    if (!scan || !file) {
      return text("no such scan", 404);
    }
    return new Response(file, {
      status: 200,
      headers: { "Content-Type": scan.contentType, "X-Cave": encodeURIComponent(scan.cave) },
    });
  }),
});

export default http;

function text(body: string, status: number): Response {
  return new Response(body, { status, headers: { "Content-Type": "text/plain" } });
}
