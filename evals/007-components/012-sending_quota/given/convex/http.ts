// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { ConvexError } from "convex/values";

import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

http.route({
  path: "/mails",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const apiKey = request.headers.get("authorization") ?? "";
    const { to, text } = (await request.json()) as { to: string; text: string };
    try {
      const id = await ctx.runMutation(internal.programs.sendMail, { apiKey, to, text });
      return Response.json({ id });
    } catch (error) {
      if (!(error instanceof ConvexError)) throw error;
      return Response.json(error.data, { status: 403 });
    }
  }),
});

/** The provider's notes of what it could not deliver. The gateway has checked who sends them. */
http.route({
  path: "/bounces",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const { message } = (await request.json()) as { message: string };
    await ctx.runMutation(internal.messages.bounced, { message });
    return new Response(null, { status: 204 });
  }),
});

export default http;
