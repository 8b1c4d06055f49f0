// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

/** The body of a request of one of our servers, which know the secret; null of anybody else's. */
async function bodyOf(request: Request): Promise<Record<string, unknown> | null> {
  const secret = process.env.SERVERS_SECRET ?? "";
  if (secret === "" || request.headers.get("x-secret") !== secret) return null;
  const body: unknown = await request.json().catch(() => null);
  return typeof body === "object" ? (body as Record<string, unknown> | null) : null;
}

const text = (value: unknown) => (typeof value === "string" ? value : "");

http.route({
  path: "/mail",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const body = await bodyOf(request);
    if (body === null) return new Response("refused", { status: 403 });
    await ctx.runMutation(internal.emails.receive, {
      from: text(body.from),
      subject: text(body.subject),
      body: text(body.body),
      messageId: text(body.messageId),
    });
    return new Response(null, { status: 204 });
  }),
});

http.route({
  path: "/calls",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const body = await bodyOf(request);
    if (body === null) return new Response("refused", { status: 403 });
    const ended = body.ended === true;
    await ctx.runMutation(internal.calls.report, { number: text(body.number), ended });
    return new Response(null, { status: 204 });
  }),
});

export default http;
