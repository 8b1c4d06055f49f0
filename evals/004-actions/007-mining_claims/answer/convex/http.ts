// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction, type ActionCtx } from "./_generated/server";

const PATH = "/claims";
const BELOW = "/claims/";
const NUMBER = /^[A-Z]{2}-[0-9]{1,6}$/;

const http = httpRouter();

http.route({
  path: PATH,
  method: "GET",
  handler: httpAction(async (ctx) => json(await ctx.runQuery(internal.claims.list, {}), 200)),
});

for (const method of ["POST", "PUT", "DELETE", "PATCH"] as const) {
  http.route({ path: PATH, method, handler: httpAction(async () => notAllowed("GET")) });
}

http.route({
  pathPrefix: BELOW,
  method: "GET",
  handler: ofClaim(async (ctx, number) => {
    const claim = await ctx.runQuery(internal.claims.get, { number });
    return claim === null ? error("not found", 404) : json(claim, 200);
  }),
});

http.route({
  pathPrefix: BELOW,
  method: "PUT",
  handler: ofClaim(async (ctx, number, request) => {
    const type = request.headers.get("Content-Type") ?? "";
    if (type.split(";")[0].trim().toLowerCase() !== "application/json") {
      return error("json wanted", 415);
    }
    const described = await readDescription(request);
    if (described === null) {
      return error("bad claim", 400);
    }
    const claim = { number, ...described };
    const isNew = await ctx.runMutation(internal.claims.put, claim);
    return isNew ? json(claim, 201, { Location: BELOW + number }) : json(claim, 200);
  }),
});

http.route({
  pathPrefix: BELOW,
  method: "DELETE",
  handler: ofClaim(async (ctx, number) => {
    const wasThere = await ctx.runMutation(internal.claims.remove, { number });
    return wasThere ? new Response(null, { status: 204 }) : error("not found", 404);
  }),
});

for (const method of ["POST", "PATCH"] as const) {
  http.route({
    pathPrefix: BELOW,
    method,
    handler: ofClaim(async () => notAllowed("GET, PUT, DELETE")),
  });
}

export default http;

/** Serves a path that names a claim; whatever else stands there is not found. */
function ofClaim(
  serve: (ctx: ActionCtx, number: string, request: Request) => Promise<Response>,
) {
  return httpAction(async (ctx, request) => {
    const number = new URL(request.url).pathname.slice(BELOW.length);
    return NUMBER.test(number) ? await serve(ctx, number, request) : error("not found", 404);
  });
}

async function readDescription(
  request: Request,
): Promise<{ holder: string; hectares: number } | null> {
  try {
    const { holder, hectares } = (await request.json()) as Record<string, unknown>;
    const isRight =
      typeof holder === "string" && holder !== "" && typeof hectares === "number" && hectares > 0;
    return isRight ? { holder, hectares } : null;
  } catch {
    return null;
  }
}

function json(body: unknown, status: number, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "Content-Type": "application/json", ...headers },
  });
}

function error(text: string, status: number): Response {
  return json({ error: text }, status);
}

function notAllowed(allowed: string): Response {
  return json({ error: "method not allowed" }, 405, { Allow: allowed });
}
