// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v, type Infer } from "convex/values";
import { internal } from "./_generated/api";
import * as server from "./_generated/server";
import { replaceTitles, scriptOf, titlesOf } from "./titles";

const title = v.object({ number: v.number(), text: v.string() });
type Title = Infer<typeof title>;

export const script = server.internalQuery({
  args: { opera: v.string() },
  handler: (ctx, { opera }) => scriptOf(ctx, opera),
});

export const show = server.query({
  args: { opera: v.string(), language: v.string() },
  handler: (ctx, { opera, language }) => titlesOf(ctx, opera, language),
});

export const enter = server.mutation({
  args: { opera: v.string(), number: v.number(), text: v.string() },
  handler: async (ctx, line) => {
    const known = await ctx.db
      .query("lines")
      .withIndex("opera", (q) => q.eq("opera", line.opera))
      .filter((q) => q.eq(q.field("number"), line.number))
      .first();
    if (known) await ctx.db.replace(known._id, line);
    else await ctx.db.insert("lines", line);
    return null;
  },
});

export const request = server.mutation({
  args: { opera: v.string(), language: v.string() },
  handler: async (ctx, { opera, language }) => {
    await ctx.scheduler.runAt(Date.now(), internal.surtitles.translate, { opera, language });
  },
});

export const store = server.internalMutation({
  args: { opera: v.string(), language: v.string(), titles: v.array(title) },
  handler: async (ctx, { opera, language, titles }) => {
    await replaceTitles(ctx, opera, language, titles);
    return titles.length;
  },
});

export const translate = server.internalAction({
  args: { opera: v.string(), language: v.string() },
  handler: async (ctx, { opera, language }): Promise<number> => {
    const lines: Title[] = await ctx.runQuery(internal.surtitles.script, { opera });
    if (!lines.length) throw new ConvexError({ code: "no_lines" });
    const titles = await Promise.all(
      lines.map(async ({ number }): Promise<Title> => {
        const url = new URL(`/${opera}/${language}/${number}`, "https://titles.example");
        const asked = fetch(url, { headers: { accept: "application/json" } });
        const answer = await asked.catch(() => null);
        if (!answer?.ok) throw new ConvexError({ code: "office_failed" });
        const body: { text: string } = await answer.json();
        return { number, text: body.text };
      }),
    );
    return await ctx.runMutation(internal.surtitles.store, { opera, language, titles });
  },
});
