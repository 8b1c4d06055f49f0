// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "./_generated/api";
import type { Doc } from "./_generated/dataModel";
import { httpAction } from "./_generated/server";

export const receive = httpAction(async (ctx, request) => {
  const { searchParams } = new URL(request.url);
  const cave = searchParams.get("cave") || null;
  if (cave === null) return new Response("no cave", { status: 400 });

  const body = await request.blob();
  if (body.size > 1e5) return new Response("too large", { status: 413 });
  if (body.size < 1) return new Response("no scan", { status: 400 });

  const contentType = request.headers.get("content-type") || "application/octet-stream";
  const file = await ctx.storage.store(body.slice(0, body.size, contentType));
  const id: string = await ctx.runMutation(internal.database.insert, { cave, file, contentType });
  return Response.json({ id }, { status: 201, headers: { location: "/scans?id=" + id } });
});

export const serve = httpAction(async (ctx, request) => {
  const id = new URL(request.url).searchParams.get("id");
  const scan: Doc<"scans"> | null = id
    ? await ctx.runQuery(internal.database.get, { id })
    : null;
  const file = scan ? await ctx.storage.get(scan.file) : null;
  if (scan === null || file === null) return new Response("no such scan", { status: 404 });

  const response = new Response(await file.arrayBuffer());
  response.headers.set("Content-Type", scan.contentType);
  response.headers.set("X-Cave", encodeURIComponent(scan.cave));
  return response;
});
