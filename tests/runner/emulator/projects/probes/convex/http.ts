import { httpRouter } from "convex/server";
import { ConvexError } from "convex/values";
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

const seen = httpAction(async (_ctx, request) => {
  const { pathname, searchParams } = new URL(request.url);
  const body = await request.text();
  return new Response(
    JSON.stringify({ method: request.method, pathname, q: searchParams.get("q"), body }),
    { headers: { "content-type": "application/json", "x-seen": request.headers.get("x-sent") ?? "" } },
  );
});

for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const) {
  http.route({ path: "/seen", method, handler: seen });
}
http.route({ pathPrefix: "/files/", method: "GET", handler: seen });
http.route({
  pathPrefix: "/files/deep/",
  method: "GET",
  handler: httpAction(async () => new Response("deep")),
});
http.route({
  path: "/files/exact",
  method: "GET",
  handler: httpAction(async () => new Response("exact")),
});
http.route({
  path: "/throws",
  method: "GET",
  handler: httpAction(async () => {
    throw new Error("broken here");
  }),
});
http.route({
  path: "/refuses",
  method: "GET",
  handler: httpAction(async () => {
    throw new ConvexError({ code: "refused" });
  }),
});
http.route({
  path: "/nothing",
  method: "GET",
  handler: httpAction(async () => undefined as never),
});
http.route({
  path: "/redirect",
  method: "GET",
  handler: httpAction(
    async () => new Response(null, { status: 302, headers: { location: "/seen" } }),
  ),
});
http.route({
  path: "/json",
  method: "POST",
  handler: httpAction(async (_ctx, request) =>
    Response.json({ got: await request.json() }, { status: 201 }),
  ),
});
http.route({
  path: "/form",
  method: "POST",
  handler: httpAction(async (_ctx, request) => {
    return new Response(String((await request.formData()).get("a")));
  }),
});
http.route({
  path: "/rejects",
  method: "GET",
  handler: httpAction(async () => {
    void Promise.reject(new Error("lost here"));
    await new Promise((resolve) => setTimeout(resolve, 5));
    return new Response("ok");
  }),
});
http.route({
  path: "/imports",
  method: "GET",
  handler: httpAction(async () => new Response(typeof (await import("./checked")).object)),
});
http.route({
  path: "/context",
  method: "GET",
  handler: httpAction(async (ctx) => Response.json(Object.keys(ctx).sort())),
});
http.route({
  path: "/large",
  method: "GET",
  handler: httpAction(async () => new Response("x".repeat(20 * 2 ** 20 + 1))),
});
const redirects = [
  ["POST", "/moved", 302, "/seen"],
  ["PUT", "/moved", 307, "/seen"],
  ["GET", "/ring", 302, "/ring"],
] as const;
for (const [method, path, status, location] of redirects) {
  http.route({
    path,
    method,
    handler: httpAction(async () => new Response(null, { status, headers: { location } })),
  });
}
http.route({
  path: "/empty",
  method: "GET",
  handler: httpAction(async () => new Response(null, { status: 204 })),
});
http.route({
  path: "/cookies",
  method: "GET",
  handler: httpAction(async () => {
    const headers = new Headers();
    headers.append("set-cookie", "a=1");
    headers.append("set-cookie", "b=2");
    return new Response("ok", { headers });
  }),
});
http.route({
  path: "/whoami",
  method: "GET",
  handler: httpAction(async (ctx) => {
    const identity = await ctx.auth.getUserIdentity();
    return new Response(identity?.subject ?? "nobody");
  }),
});

export default http;
