import { httpRouter } from "convex/server";
import { api } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

http.route({
  path: "/notes",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    await ctx.runMutation(api.index.add, { text: await request.text() });
    return new Response(null, { status: 201 });
  }),
});

export default http;
