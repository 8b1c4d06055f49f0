// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { ConvexError } from "convex/values";
import { internal } from "./_generated/api";
import { httpAction, type ActionCtx } from "./_generated/server";
import type { Reply } from "./images/requests";
import { isAddress } from "./images/tags";

const MOST_IN_BATCH = 100;
const BELOW = "/v1/batches/";
const STATUS: Record<string, number> = { bad_key: 401, not_found: 404, over_limit: 429 };

const http = httpRouter();

function reply(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "Content-Type": "application/json" },
  });
}

/** Reply with the result of a call, or with the code of its refusal. */
async function answer(call: () => Promise<Response>): Promise<Response> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ConvexError) {
      const code: unknown = error.data.code;
      const resetsAt: unknown = error.data.resetsAt;
      if (typeof code === "string" && code in STATUS) {
        return reply(STATUS[code], { error: code, resetsAt });
      }
    }
    throw error;
  }
}

/** Reply to a request that was taken, now or when it came first. */
function replyTaken(taken: Reply): Response {
  return reply("batch" in taken ? 202 : 200, taken);
}

/** Reply to a request that cannot be read: its id may be of one that was taken. */
async function replyBad(ctx: ActionCtx, request: Request): Promise<Response> {
  const id = requestIdOf(request);
  const former =
    id === undefined
      ? null
      : await ctx.runQuery(internal.images.requests.find, {
          key: keyOf(request),
          request: id,
          now: Date.now(),
        });
  return former === null ? reply(400, { error: "bad_request" }) : replyTaken(former);
}

function keyOf(request: Request): string {
  return (request.headers.get("Authorization") ?? "").replace(/^Bearer /, "");
}

function requestIdOf(request: Request): string | undefined {
  const id = request.headers.get("Request-Id");
  return id === null || id === "" ? undefined : id;
}

async function readBody(request: Request): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await request.json();
    return typeof body === "object" && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}

http.route({
  path: "/v1/images",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const { url } = await readBody(request);
    if (!isAddress(url)) {
      return await replyBad(ctx, request);
    }
    const args = { key: keyOf(request), url, request: requestIdOf(request) };
    return await answer(async () =>
      replyTaken(await ctx.runMutation(internal.images.single.tag, args)),
    );
  }),
});

http.route({
  path: "/v1/batches",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const { urls } = await readBody(request);
    if (!Array.isArray(urls) || urls.length === 0 || urls.length > MOST_IN_BATCH) {
      return await replyBad(ctx, request);
    }
    if (!urls.every(isAddress)) {
      return await replyBad(ctx, request);
    }
    const args = { key: keyOf(request), urls, request: requestIdOf(request) };
    return await answer(async () =>
      replyTaken(await ctx.runMutation(internal.images.batches.begin, args)),
    );
  }),
});

http.route({
  pathPrefix: BELOW,
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    const batch = new URL(request.url).pathname.slice(BELOW.length);
    const key = keyOf(request);
    return await answer(async () =>
      reply(200, await ctx.runQuery(internal.images.batches.show, { key, batch })),
    );
  }),
});

http.route({
  pathPrefix: BELOW,
  method: "DELETE",
  handler: httpAction(async (ctx, request) => {
    const batch = new URL(request.url).pathname.slice(BELOW.length);
    const key = keyOf(request);
    return await answer(async () =>
      reply(200, await ctx.runMutation(internal.images.batches.stop, { key, batch })),
    );
  }),
});

export default http;
