// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter, ROUTABLE_HTTP_METHODS } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction, type ActionCtx } from "./_generated/server";

class Refusal extends Error {
  constructor(
    readonly status: number,
    text: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(text);
  }
}

type Handler = (ctx: ActionCtx, request: Request, number: string) => Promise<Response>;

const register: Record<string, Handler> = {
  GET: async (ctx) => Response.json(await ctx.runQuery(internal.register.first, {})),
};

const claim: Record<string, Handler> = {
  GET: async (ctx, _request, number) => {
    const found = await ctx.runQuery(internal.register.one, { number });
    if (!found) throw new Refusal(404, "not found");
    return Response.json(found);
  },
  PUT: async (ctx, request, number) => {
    const [type] = (request.headers.get("content-type") ?? "").toLowerCase().split(";");
    if (type.trim() !== "application/json") throw new Refusal(415, "json wanted");
    const body = await request.json().catch(() => null);
    const { holder, hectares } = body ?? {};
    const bad =
      typeof holder !== "string" || !holder || typeof hectares !== "number" || !(hectares > 0);
    if (bad) throw new Refusal(400, "bad claim");
    const { created, ...entry } = await ctx.runMutation(internal.register.enter, {
      number,
      holder,
      hectares,
    });
    return created
      ? Response.json(entry, { status: 201, headers: { Location: `/claims/${number}` } })
      : Response.json(entry);
  },
  DELETE: async (ctx, _request, number) => {
    const gone = await ctx.runMutation(internal.register.strike, { number });
    if (gone === 0) throw new Refusal(404, "not found");
    return new Response(undefined, { status: 204 });
  },
};

const serve = httpAction(async (ctx, request) => {
  try {
    const [, , ...rest] = new URL(request.url).pathname.split("/");
    const served = rest.length === 0 ? register : claim;
    const number = rest.join("/");
    if (served === claim && !/^[A-Z][A-Z]-\d{1,6}$/.test(number)) {
      throw new Refusal(404, "not found");
    }
    const handler = served[request.method];
    if (!handler) {
      throw new Refusal(405, "method not allowed", { Allow: Object.keys(served).join(", ") });
    }
    return await handler(ctx, request, number);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return Response.json(
      { error: error.message },
      { status: error.status, headers: error.headers },
    );
  }
});

const http = httpRouter();
for (const method of ROUTABLE_HTTP_METHODS) {
  if (method === "OPTIONS") continue;
  http.route({ path: "/claims", method, handler: serve });
  http.route({ pathPrefix: "/claims/", method, handler: serve });
}
export default http;
