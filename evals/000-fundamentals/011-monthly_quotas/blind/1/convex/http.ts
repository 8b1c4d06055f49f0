// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { ConvexError } from "convex/values";
import { internal } from "./_generated/api";
import { httpAction, type ActionCtx } from "./_generated/server";
import { isAddress } from "./images/tags";

const MOST_IN_BATCH = 100;
const BELOW = "/v1/batches/";
const STATUS: Record<string, number> = { bad_key: 401, not_found: 404, over_limit: 429 };

const http = httpRouter();

function replyWith(status: number, text: string): Response {
  return new Response(text, { status, headers: { "Content-Type": "application/json" } });
}

function reply(status: number, body: unknown): Response {
  return replyWith(status, JSON.stringify(body));
}

/** Reply with what a call gives, or with the code of its refusal and what belongs to it. */
async function answer(call: () => Promise<Response>): Promise<Response> {
  try {
    return await call();
  } catch (error) {
    const data: unknown = error instanceof ConvexError ? error.data : undefined;
    if (typeof data === "object" && data !== null && "code" in data) {
      const { code, ...rest } = data;
      if (typeof code === "string" && code in STATUS) {
        return reply(STATUS[code], { error: code, ...rest });
      }
    }
    throw error;
  }
}

function keyOf(request: Request): string {
  return (request.headers.get("Authorization") ?? "").replace(/^Bearer /, "");
}

/** The id that a client gave a request; it is the same when the request is sent again. */
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

/** Refuse a request that is not understood, unless its id says that it was taken before. */
async function refuse(ctx: ActionCtx, request: Request): Promise<Response> {
  const requestId = requestIdOf(request);
  if (requestId !== undefined) {
    const key = keyOf(request);
    const first = await ctx.runQuery(internal.requests.replies.first, { key, requestId });
    if (first !== null) {
      return replyWith(first.status, first.text);
    }
  }
  return reply(400, { error: "bad_request" });
}

http.route({
  path: "/v1/images",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const { url } = await readBody(request);
    if (!isAddress(url)) {
      return await refuse(ctx, request);
    }
    const key = keyOf(request);
    const requestId = requestIdOf(request);
    return await answer(async () => {
      const args = { key, url, requestId };
      const { status, text } = await ctx.runMutation(internal.images.single.tag, args);
      return replyWith(status, text);
    });
  }),
});

http.route({
  path: "/v1/batches",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const { urls } = await readBody(request);
    if (!Array.isArray(urls) || urls.length === 0 || urls.length > MOST_IN_BATCH) {
      return await refuse(ctx, request);
    }
    if (!urls.every(isAddress)) {
      return await refuse(ctx, request);
    }
    const key = keyOf(request);
    const requestId = requestIdOf(request);
    return await answer(async () => {
      const args = { key, urls, requestId };
      const { status, text } = await ctx.runMutation(internal.images.batches.begin, args);
      return replyWith(status, text);
    });
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
