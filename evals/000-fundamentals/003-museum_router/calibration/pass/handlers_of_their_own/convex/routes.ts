// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const REFUSALS: Record<string, number> = { no_such_room: 404, closed: 409 };

function refuse(error: string, status: number) {
  return Response.json({ error }, { status });
}

/** Takes the code off the end of a path; null where it cannot be read. */
function codeAfter(prefix: RegExp, request: Request) {
  try {
    return decodeURIComponent(new URL(request.url).pathname.replace(prefix, ""));
  } catch {
    return null;
  }
}

export const open = httpAction(async (ctx) => {
  const all = await ctx.runQuery(internal.rooms.all, {});
  const shown = all.filter((room) => room.open);
  return Response.json(shown.map((room) => ({ code: room.code, title: room.title })));
});

export const closed = httpAction(async (ctx) => {
  const all = await ctx.runQuery(internal.rooms.all, {});
  return Response.json(all.filter((room) => !room.open).map((room) => room.code));
});

export const one = httpAction(async (ctx, request) => {
  const code = codeAfter(/^\/rooms\//, request);
  const room = code === null ? null : await ctx.runQuery(internal.rooms.byCode, { code });
  if (!room) return refuse("no_such_room", 404);
  return Response.json({ code: room.code, title: room.title, open: room.open });
});

export const visitsOf = httpAction(async (ctx, request) => {
  const code = codeAfter(/^\/rooms\/visits\//, request);
  const room = code === null ? null : await ctx.runQuery(internal.rooms.byCode, { code });
  if (!room) return refuse("no_such_room", 404);
  return Response.json({ code: room.code, visits: room.visits });
});

export const visit = httpAction(async (ctx, request) => {
  const body: unknown = await request.json().catch(() => null);
  const code = typeof body === "object" ? (body as { room?: unknown } | null)?.room : undefined;
  if (typeof code !== "string") return refuse("bad_request", 400);
  try {
    const visits = await ctx.runMutation(internal.rooms.addVisit, { code });
    return Response.json({ visits }, { status: 201 });
  } catch (error) {
    if (!(error instanceof ConvexError) || typeof error.data !== "string") throw error;
    return refuse(error.data, REFUSALS[error.data] ?? 500);
  }
});
