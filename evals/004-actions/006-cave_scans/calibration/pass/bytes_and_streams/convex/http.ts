// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

function refusal(text: string, status: number) {
  const headers = new Headers();
  headers.set("Content-Type", "text/plain; charset=utf-8");
  return new Response(text, { status, headers });
}

http.route({
  path: "/scans",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const cave = new URL(request.url).searchParams.get("cave");
    if (cave === null || cave.length === 0) return refusal("no cave", 400);
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (bytes.length > 100_000) return refusal("too large", 413);
    if (bytes.length === 0) return refusal("no scan", 400);
    const contentType = request.headers.get("Content-Type") ?? "application/octet-stream";
    const file = await ctx.storage.store(new Blob([bytes], { type: contentType }));
    const id = await ctx.runMutation(internal.scans.add, { cave, file, contentType });
    return new Response(JSON.stringify({ id }), {
      status: 201,
      headers: [
        ["Content-Type", "application/json; charset=utf-8"],
        ["Location", `/scans?${new URLSearchParams({ id })}`],
      ],
    });
  }),
});

http.route({
  path: "/scans",
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    const id = new URL(request.url).searchParams.get("id");
    const scan = await ctx.runQuery(internal.scans.find, { id });
    if (!scan) return refusal("no such scan", 404);
    const file = await ctx.storage.get(scan.file);
    if (!file) return refusal("no such scan", 404);
    return new Response(file.stream(), {
      headers: { "Content-Type": scan.contentType, "X-Cave": encodeURIComponent(scan.cave) },
    });
  }),
});

export default http;
