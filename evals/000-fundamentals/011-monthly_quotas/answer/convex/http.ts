// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { ConvexError } from "convex/values";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";
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
async function answer(status: number, call: () => Promise<unknown>): Promise<Response> {
  try {
    return reply(status, await call());
  } catch (error) {
    const { code, ...more } = error instanceof ConvexError ? error.data : { code: undefined };
    if (typeof code === "string" && code in STATUS) {
      return reply(STATUS[code], { error: code, ...more });
    }
    throw error;
  }
}

function keyOf(request: Request): string {
  return (request.headers.get("Authorization") ?? "").replace(/^Bearer /, "");
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
      return reply(400, { error: "bad_request" });
    }
    const args = { key: keyOf(request), requestId: request.headers.get("Request-Id"), url };
    return await answer(200, () => ctx.runMutation(internal.images.single.tag, args));
  }),
});

http.route({
  path: "/v1/batches",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const { urls } = await readBody(request);
    if (!Array.isArray(urls) || urls.length === 0 || urls.length > MOST_IN_BATCH) {
      return reply(400, { error: "bad_request" });
    }
    if (!urls.every(isAddress)) {
      return reply(400, { error: "bad_request" });
    }
    const args = { key: keyOf(request), requestId: request.headers.get("Request-Id"), urls };
    return await answer(202, () => ctx.runMutation(internal.images.batches.begin, args));
  }),
});

http.route({
  pathPrefix: BELOW,
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    const batch = new URL(request.url).pathname.slice(BELOW.length);
    const key = keyOf(request);
    return await answer(200, () => ctx.runQuery(internal.images.batches.show, { key, batch }));
  }),
});

http.route({
  pathPrefix: BELOW,
  method: "DELETE",
  handler: httpAction(async (ctx, request) => {
    const batch = new URL(request.url).pathname.slice(BELOW.length);
    const key = keyOf(request);
    return await answer(200, () => ctx.runMutation(internal.images.batches.stop, { key, batch }));
  }),
});

export default http;
