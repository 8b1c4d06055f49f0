import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

http.route({
  path: "/stream",
  method: "GET",
  handler: httpAction(async (ctx) => {
    const { readable, writable } = new TransformStream();
    const writer = writable.getWriter();
    const send = async () => {
      for (const text of ["one ", "two"]) {
        await ctx.runMutation(internal.index.store, { text });
        await writer.write(new TextEncoder().encode(text));
      }
      await writer.close();
    };
    void send();
    return new Response(readable);
  }),
});

export default http;
