import { httpRouter } from "convex/server";
import { api } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

http.route({
  path: "/notes",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const { text } = await request.json();
    await ctx.runMutation(api.notes.add, { text, rank: 1 });
    return new Response(request.headers.get("x-echo"), {
      status: 201,
      headers: { "x-path": new URL(request.url).pathname },
    });
  }),
});

http.route({
  pathPrefix: "/stream/",
  method: "GET",
  handler: httpAction(async () => {
    const body = new ReadableStream({
      start(controller) {
        for (const part of ["one ", "two ", "three"]) {
          controller.enqueue(new TextEncoder().encode(part));
        }
        controller.close();
      },
    });
    return new Response(body);
  }),
});

http.route({
  path: "/broken",
  method: "GET",
  handler: httpAction(async () => {
    throw new Error("broken");
  }),
});

export default http;
