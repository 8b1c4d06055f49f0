import { httpRouter } from "convex/server";
import { httpAction } from "./_generated/server";

const http = httpRouter();

http.route({
  pathPrefix: "/items/",
  method: "GET",
  handler: httpAction(async (_ctx, request) => {
    const name = decodeURIComponent(new URL(request.url).pathname.slice("/items/".length));
    return Response.json({ name });
  }),
});

http.route({
  pathPrefix: "/items/",
  method: "OPTIONS",
  handler: httpAction(
    async () => new Response(null, { status: 204, headers: { "Access-Control-Allow-Origin": "*" } }),
  ),
});

http.route({
  path: "/bytes",
  method: "PUT",
  handler: httpAction(async (_ctx, request) => {
    const { byteLength } = await request.arrayBuffer();
    return new Response(String(byteLength), { status: 202 });
  }),
});

export default http;
