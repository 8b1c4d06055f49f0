// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { type ActionCtx, httpAction } from "./_generated/server";

const STATUS = { no_such_room: 404, closed: 409, bad_request: 400 };

const http = httpRouter();

http.route({
  path: "/rooms",
  method: "GET",
  handler: httpAction(async (ctx) => {
    const rooms = await ctx.runQuery(internal.rooms.list, { open: true });
    return json(rooms.map(({ code, title }) => ({ code, title })));
  }),
});

http.route({
  path: "/rooms/closed",
  method: "GET",
  handler: httpAction(async (ctx) => {
    const rooms = await ctx.runQuery(internal.rooms.list, { open: false });
    return json(rooms.map(({ code }) => code));
  }),
});

http.route({
  pathPrefix: "/rooms/",
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    const room = await roomAt(ctx, request, "/rooms/");
    if (room === null) return refusal("no_such_room");
    const { code, title, open } = room;
    return json({ code, title, open });
  }),
});

http.route({
  pathPrefix: "/rooms/visits/",
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    const room = await roomAt(ctx, request, "/rooms/visits/");
    if (room === null) return refusal("no_such_room");
    const { code, visits } = room;
    return json({ code, visits });
  }),
});

http.route({
  path: "/visits",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const code = await roomOf(request);
    if (code === null) return refusal("bad_request");
    const visited = await ctx.runMutation(internal.rooms.visit, { code });
    return "visits" in visited ? json(visited, 201) : refusal(visited.error);
  }),
});

export default http;

async function roomAt(ctx: ActionCtx, request: Request, prefix: string) {
  const encoded = new URL(request.url).pathname.slice(prefix.length);
  const code = decodeURIComponent(encoded);
  return await ctx.runQuery(internal.rooms.get, { code });
}

async function roomOf(request: Request): Promise<string | null> {
  let body: unknown;
  try {
    body = await request.json();
  } catch {
    return null;
  }
  if (typeof body !== "object" || body === null || !("room" in body)) return null;
  return typeof body.room === "string" ? body.room : null;
}

function json(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { "Content-Type": "application/json" },
  });
}

function refusal(error: keyof typeof STATUS): Response {
  return json({ error }, STATUS[error]);
}
