// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { json, notAllowed, notFound, numberIn } from "./answers";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

const list = httpAction(async (ctx) => json(200, await ctx.runQuery(internal.claims.list)));

const listOnly = httpAction(async () => notAllowed("GET"));

const read = httpAction(async (ctx, request) => {
  const number = numberIn(request);
  if (number === null) return notFound();
  const claim = await ctx.runQuery(internal.claims.get, { number });
  return claim ? json(200, claim) : notFound();
});

const write = httpAction(async (ctx, request) => {
  const number = numberIn(request);
  if (number === null) return notFound();

  const type = request.headers.get("content-type");
  if (!type || !/^\s*application\/json\s*(;|$)/i.test(type)) {
    return json(415, { error: "json wanted" });
  }
  let body: unknown;
  try {
    body = JSON.parse(await request.text());
  } catch {
    return json(400, { error: "bad claim" });
  }
  if (
    typeof body !== "object" ||
    body === null ||
    !("holder" in body && typeof body.holder === "string" && body.holder.length > 0) ||
    !("hectares" in body && typeof body.hectares === "number" && body.hectares > 0)
  ) {
    return json(400, { error: "bad claim" });
  }
  const claim = { number, holder: body.holder, hectares: body.hectares };
  if (await ctx.runMutation(internal.claims.put, claim)) {
    return json(201, claim, { Location: `/claims/${number}` });
  }
  return json(200, claim);
});

const remove = httpAction(async (ctx, request) => {
  const number = numberIn(request);
  if (number === null) return notFound();
  const removed = await ctx.runMutation(internal.claims.remove, { number });
  return removed ? new Response(null, { status: 204 }) : notFound();
});

const claimOnly = httpAction(async (_ctx, request) =>
  numberIn(request) === null ? notFound() : notAllowed("DELETE", "GET", "PUT"),
);

http.route({ path: "/claims", method: "GET", handler: list });
http.route({ path: "/claims", method: "POST", handler: listOnly });
http.route({ path: "/claims", method: "PUT", handler: listOnly });
http.route({ path: "/claims", method: "PATCH", handler: listOnly });
http.route({ path: "/claims", method: "DELETE", handler: listOnly });

http.route({ pathPrefix: "/claims/", method: "GET", handler: read });
http.route({ pathPrefix: "/claims/", method: "PUT", handler: write });
http.route({ pathPrefix: "/claims/", method: "DELETE", handler: remove });
http.route({ pathPrefix: "/claims/", method: "POST", handler: claimOnly });
http.route({ pathPrefix: "/claims/", method: "PATCH", handler: claimOnly });

export default http;
