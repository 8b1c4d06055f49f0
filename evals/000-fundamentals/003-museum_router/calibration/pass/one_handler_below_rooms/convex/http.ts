// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const router = httpRouter();

const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), {
    status,
    headers: new Headers({ "content-type": "application/json; charset=utf-8" }),
  });
const missing = () => json({ error: "no_such_room" }, 404);

// Everything about rooms is read here, and told apart by its path.
const rooms = httpAction(async (ctx, request) => {
  const { pathname } = new URL(request.url);
  if (pathname === "/rooms" || pathname === "/rooms/closed") {
    const open = pathname === "/rooms";
    const listed = await ctx.runQuery(internal.rooms.list, { open });
    return json(open ? listed.map((r) => ({ code: r.code, title: r.title })) : listed.map((r) => r.code));
  }
  const wantsVisits = pathname.startsWith("/rooms/visits/");
  let code = pathname.substring(wantsVisits ? "/rooms/visits/".length : "/rooms/".length);
  try {
    code = decodeURIComponent(code);
  } catch (error) {
    if (error instanceof URIError) return missing();
    throw error;
  }
  const room = await ctx.runQuery(internal.rooms.get, { code });
  if (room === null) return missing();
  return json(
    wantsVisits
      ? { code: room.code, visits: room.visits }
      : { code: room.code, title: room.title, open: room.open },
  );
});

router.route({ path: "/rooms", method: "GET", handler: rooms });
router.route({ pathPrefix: "/rooms/", method: "GET", handler: rooms });
router.route({
  path: "/visits",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const text = await request.text();
    let room: unknown;
    try {
      ({ room } = JSON.parse(text) as { room: unknown });
    } catch {
      return json({ error: "bad_request" }, 400);
    }
    if (typeof room !== "string") return json({ error: "bad_request" }, 400);
    const result = await ctx.runMutation(internal.rooms.visit, { code: room });
    if (result.error === undefined) return json(result, 201);
    return json(result, result.error === "closed" ? 409 : 404);
  }),
});

export default router;
