// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import {
  internalAction,
  internalMutation,
  internalQuery,
  mutation,
  query,
  type QueryCtx,
} from "./_generated/server";

const LONGEST = 80;

const translation = { opera: v.string(), language: v.string() };
const numbered = v.object({ number: v.number(), text: v.string() });

export const enter = mutation({
  args: { opera: v.string(), number: v.number(), text: v.string() },
  returns: v.null(),
  handler: async (ctx, { opera, number, text }) => {
    const line = await ctx.db
      .query("lines")
      .withIndex("by_opera_and_number", (q) => q.eq("opera", opera).eq("number", number))
      .unique();
    if (line === null) await ctx.db.insert("lines", { opera, number, text });
    else await ctx.db.patch("lines", line._id, { text });
    return null;
  },
});

export const request = mutation({
  args: translation,
  returns: v.null(),
  handler: async (ctx, args) => {
    await ctx.scheduler.runAfter(0, internal.surtitles.translate, args);
    return null;
  },
});

export const show = query({
  args: translation,
  returns: v.array(numbered),
  handler: async (ctx, { opera, language }) => {
    const titles = await stored(ctx, opera, language);
    return titles.map(({ number, text }) => ({ number, text }));
  },
});

export const script = internalQuery({
  args: { opera: v.string() },
  returns: v.array(numbered),
  handler: async (ctx, { opera }) => {
    const lines = await ctx.db
      .query("lines")
      .withIndex("by_opera_and_number", (q) => q.eq("opera", opera))
      .collect();
    return lines.map(({ number, text }) => ({ number, text }));
  },
});

export const store = internalMutation({
  args: { ...translation, titles: v.array(numbered) },
  returns: v.number(),
  handler: async (ctx, { opera, language, titles }) => {
    const tooLong = titles.find(({ text }) => text.length > LONGEST);
    if (tooLong) throw new ConvexError({ code: "too_long", number: tooLong.number });
    for (const old of await stored(ctx, opera, language)) {
      await ctx.db.delete("surtitles", old._id);
    }
    for (const { number, text } of titles) {
      await ctx.db.insert("surtitles", { opera, language, number, text });
    }
    return titles.length;
  },
});

export const translate = internalAction({
  args: translation,
  returns: v.number(),
  handler: async (ctx, { opera, language }): Promise<number> => {
    const lines = await ctx.runQuery(internal.surtitles.script, { opera });
    if (lines.length === 0) throw new ConvexError({ code: "no_lines" });
    const titles: { number: number; text: string }[] = [];
    for (const { number } of lines) {
      titles.push({ number, text: await translated(opera, language, number) });
    }
    return await ctx.runMutation(internal.surtitles.store, { opera, language, titles });
  },
});

async function translated(opera: string, language: string, number: number): Promise<string> {
  const address = `https://titles.example/${opera}/${language}/${number}`;
  const response = await fetch(address).catch(() => null);
  if (response?.status !== 200) throw new ConvexError({ code: "office_failed" });
  const { text } = (await response.json()) as { text: string };
  return text;
}

async function stored(ctx: QueryCtx, opera: string, language: string) {
  return await ctx.db
    .query("surtitles")
    .withIndex("by_opera_and_language_and_number", (q) =>
      q.eq("opera", opera).eq("language", language),
    )
    .collect();
}
