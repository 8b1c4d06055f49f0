// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { ConvexError } from "convex/values";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

function reply(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "Content-Type": "application/json" },
  });
}

/** For the programs that we are connected to. */
http.route({
  path: "/inbound",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const { email, name, text } = (await request.json()) as Record<string, string>;
    const secret = (request.headers.get("Authorization") ?? "").replace(/^Bearer /, "");
    try {
      const args = { secret, email, name, text };
      const ticket = await ctx.runMutation(internal.integrations.inbound.receive, args);
      return reply(200, { ticket });
    } catch (error) {
      if (error instanceof ConvexError) {
        return reply(400, { error: error.data.code });
      }
      throw error;
    }
  }),
});

export default http;
