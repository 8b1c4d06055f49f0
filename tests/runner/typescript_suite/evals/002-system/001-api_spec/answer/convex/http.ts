import { httpRouter } from "convex/server";
import { httpAction } from "./_generated/server";

const http = httpRouter();
http.route({
  path: "/shout",
  method: "POST",
  handler: httpAction(async (_ctx, request) => new Response((await request.text()).toUpperCase())),
});

export default http;
