// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

/** The card service reports payments: POST /payments?user=SUBJECT&cents=1000&payment=ID. */
http.route({
  path: "/payments",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const key = process.env.CARD_SERVICE_KEY;
    if (!key || request.headers.get("X-Key") !== key) return new Response(null, { status: 401 });
    const search = new URL(request.url).searchParams;
    const user = await ctx.runQuery(internal.accounts.find, { subject: search.get("user") ?? "" });
    const payment = search.get("payment") ?? "";
    const cents = Number(search.get("cents"));
    if (user === null || !/^[\w-]{1,40}$/.test(payment) || !Number.isInteger(cents) || cents < 1) {
      return new Response(null, { status: 400 });
    }
    await ctx.runMutation(internal.wallet.topUp, { user, cents, payment });
    return new Response(null, { status: 204 });
  }),
});

export default http;
