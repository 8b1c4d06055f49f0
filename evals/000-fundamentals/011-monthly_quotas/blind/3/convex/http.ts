// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { ConvexError } from "convex/values";
import { internal } from "./_generated/api";
import { httpAction, type ActionCtx } from "./_generated/server";
import { isAddress } from "./images/tags";
import type { HttpReply } from "./usage/requests";

const MOST_IN_BATCH = 100;
const BELOW = "/v1/batches/";
const STATUS: Record<string, number> = { bad_key: 401, not_found: 404 };

const http = httpRouter();

function send({ status, body }: HttpReply): Response {
  return new Response(body, {
    status,
    headers: { "Content-Type": "application/json" },
  });
}

function reply(status: number, body: unknown): Response {
  return send({ status, body: JSON.stringify(body) });
}

/** Reply with the response of a call, or with the code of its refusal. */
async function answer(call: () => Promise<Response>): Promise<Response> {
  try {
    return await call();
  } catch (error) {
    const code: unknown = error instanceof ConvexError ? error.data.code : undefined;
    if (typeof code === "string" && code in STATUS) {
      return reply(STATUS[code], { error: code });
    }
    throw error;
  }
}

function keyOf(request: Request): string {
  return (request.headers.get("Authorization") ?? "").replace(/^Bearer /, "");
}

function requestIdOf(request: Request): string | undefined {
  const id = request.headers.get("Request-Id") ?? "";
  return id === "" ? undefined : id;
}

/** Refuse a body that is no good, unless the request is one again that was taken before. */
async function refuseBody(ctx: ActionCtx, request: Request): Promise<Response> {
  const requestId = requestIdOf(request);
  if (requestId !== undefined) {
    const key = keyOf(request);
    const now = Date.now();
    const earlier = await ctx.runQuery(internal.usage.requests.find, { key, requestId, now });
    if (earlier !== null) {
      return send(earlier);
    }
  }
  return reply(400, { error: "bad_request" });
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
      return await refuseBody(ctx, request);
    }
    const args = { key: keyOf(request), url, requestId: requestIdOf(request) };
    return await answer(async () =>
      send(await ctx.runMutation(internal.images.single.tag, args)),
    );
  }),
});

http.route({
  path: "/v1/batches",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const { urls } = await readBody(request);
    if (!Array.isArray(urls) || urls.length === 0 || urls.length > MOST_IN_BATCH) {
      return await refuseBody(ctx, request);
    }
    if (!urls.every(isAddress)) {
      return await refuseBody(ctx, request);
    }
    const args = { key: keyOf(request), urls, requestId: requestIdOf(request) };
    return await answer(async () =>
      send(await ctx.runMutation(internal.images.batches.begin, args)),
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
