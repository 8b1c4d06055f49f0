import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

http.route({
  path: "/pieces",
  method: "GET",
  handler: httpAction(async (ctx) => {
    const { readable, writable } = new TransformStream();
    const writer = writable.getWriter();
    void (async () => {
      for (const n of [1, 2, 3]) {
        await ctx.runMutation(internal.probe.note, { n });
        await new Promise((resolve) => setTimeout(resolve, 10));
        await writer.write(new TextEncoder().encode(`piece ${n};`));
      }
      await writer.close();
    })();
    return new Response(readable);
  }),
});

http.route({
  path: "/endless",
  method: "GET",
  handler: httpAction(async () => {
    const body = new ReadableStream({
      pull: async (controller) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        controller.enqueue(new TextEncoder().encode("more;"));
      },
    });
    return new Response(body);
  }),
});

export default http;
