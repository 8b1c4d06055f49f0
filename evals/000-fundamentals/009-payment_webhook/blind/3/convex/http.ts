// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";
import { refuse, reply } from "./lib/responses";
import { readSetting } from "./lib/settings";
import { parseEvent } from "./paywell/parse";
import { isSigned } from "./paywell/signature";

const http = httpRouter();

http.route({
  path: "/health",
  method: "GET",
  handler: httpAction(async () => reply(200, { ok: true })),
});

/** For the bookkeepers' program, which has a key of its own. */
http.route({
  path: "/statement",
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    const key = readSetting("BOOKKEEPING_KEY");
    if (key === undefined || request.headers.get("Authorization") !== `Bearer ${key}`) {
      return refuse(401, "not_allowed");
    }
    const customer = new URL(request.url).searchParams.get("customer") ?? "";
    const statement = await ctx.runQuery(internal.statements.ofCustomer, { customer });
    return statement === null ? refuse(404, "not_found") : reply(200, statement);
  }),
});

/** Paywell's webhook: see paywell/contract.ts. */
http.route({
  path: "/paywell",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const body = await request.arrayBuffer();
    if (!(await isSigned(request.headers.get("Paywell-Signature"), body))) {
      return refuse(400, "bad_signature");
    }
    const event = parseEvent(body);
    if (event?.kind === "payment") {
      const { id, created, payment } = event;
      await ctx.runMutation(internal.paywell.events.takePayment, { id, created, payment });
    } else if (event?.kind === "credit") {
      const { id, created, reference, cents } = event;
      await ctx.runMutation(internal.paywell.events.takeCredit, { id, created, reference, cents });
    }
    return reply(200, { ok: true });
  }),
});

export default http;
