// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

/** The bank posts a list of transfers. Each is booked for itself, and a refused one stops no other. */
http.route({
  path: "/bank",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const body: unknown = await request.json().catch(() => null);
    if (!Array.isArray(body)) return new Response("a list is wanted", { status: 400 });
    const results = await Promise.allSettled(
      body.map((each) => ctx.runMutation(internal.payments.fromBank, each)),
    );
    const refused = results.filter(({ status }) => status === "rejected").length;
    return Response.json({ booked: results.length - refused, refused });
  }),
});

export default http;
