// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

// For readers from outside, by the token of a link.
http.route({
  path: "/s",
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    const token = new URL(request.url).searchParams.get("token") ?? "";
    const document = await ctx.runMutation(internal.links.view, { token });
    if (document === null) return new Response("no such link", { status: 404 });
    return new Response(`# ${document.title}\n\n${document.body}\n`);
  }),
});

// For what cannot sign in, by the key of the workspace.
http.route({
  path: "/feed",
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    const key = new URL(request.url).searchParams.get("key") ?? "";
    const documents = await ctx.runQuery(internal.feeds.published, { key });
    return documents === null
      ? new Response("no such key", { status: 403 })
      : Response.json(documents);
  }),
});

http.route({
  path: "/export",
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    const key = new URL(request.url).searchParams.get("key") ?? "";
    const lines = ["number;slug;title;owner;folder;tags"];
    for (let after: number | null = 0; after !== null; ) {
      const rows: { lines: string[]; next: number | null } | null = await ctx.runQuery(
        internal.feeds.rows,
        { key, after },
      );
      if (rows === null) return new Response("no such key", { status: 403 });
      lines.push(...rows.lines);
      after = rows.next;
    }
    return new Response(`${lines.join("\n")}\n`, { headers: { "content-type": "text/csv" } });
  }),
});

// Replies to mails, from our mail service.
http.route({
  path: "/mail",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const key = new URL(request.url).searchParams.get("key") ?? "";
    const mail = (await request.json()) as { number: number; user: string; text: string };
    const { number, user, text } = mail;
    const comment = await ctx.runMutation(internal.comments.addByMail, { key, number, user, text });
    return new Response(null, { status: comment === null ? 404 : 204 });
  }),
});

export default http;
