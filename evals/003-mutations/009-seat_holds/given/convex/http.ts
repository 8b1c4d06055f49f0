// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

/** The payment provider's webhook. Only the provider knows the path. */
http.route({
  path: "/payments/u7Kq2",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const body: unknown = await request.json().catch(() => null);
    const { payment, booking } = (body ?? {}) as { payment?: unknown; booking?: unknown };
    if (typeof payment !== "string" || typeof booking !== "string") {
      return new Response("payment and booking are wanted", { status: 400 });
    }
    await ctx.runMutation(internal.payments.confirm, { payment, booking });
    return new Response(null, { status: 204 });
  }),
});

export default http;
