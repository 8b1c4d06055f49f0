// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { makeFunctionReference } from "convex/server";
import { ConvexError, v } from "convex/values";
import { internalAction, internalMutation, internalQuery, mutation, query } from "./_generated/server";

type Titles = Array<{ number: number; text: string }>;

// By their names, so that the types of this module do not depend on themselves.
const scriptRef = makeFunctionReference<"query", { opera: string }, Titles>("surtitles:script");
const storeRef = makeFunctionReference<
  "mutation",
  { opera: string; language: string; titles: Titles },
  number
>("surtitles:store");
const translateRef = makeFunctionReference<"action", { opera: string; language: string }, number>(
  "surtitles:translate",
);

export const enter = mutation({
  args: v.object({ opera: v.string(), number: v.number(), text: v.string() }),
  handler: async (ctx, args) => {
    for await (const line of ctx.db
      .query("lines")
      .withIndex("by_opera_and_number", (q) =>
        q.eq("opera", args.opera).eq("number", args.number),
      )) {
      await ctx.db.delete("lines", line._id);
    }
    await ctx.db.insert("lines", args);
  },
});

export const request = mutation({
  args: v.object({ opera: v.string(), language: v.string() }),
  handler: async (ctx, args) => void (await ctx.scheduler.runAfter(0, translateRef, args)),
});

export const show = query({
  args: v.object({ opera: v.string(), language: v.string() }),
  handler: async (ctx, args) => {
    const shown: Titles = [];
    for await (const { number, text } of ctx.db
      .query("surtitles")
      .withIndex("by_opera_and_language_and_number", (q) =>
        q.eq("opera", args.opera).eq("language", args.language),
      )) {
      shown.push({ number, text });
    }
    return shown;
  },
});

export const script = internalQuery({
  args: v.object({ opera: v.string() }),
  handler: async (ctx, args) => {
    const lines = await ctx.db
      .query("lines")
      .withIndex("by_opera_and_number", (q) => q.eq("opera", args.opera))
      .order("asc")
      .take(2000);
    return lines.map((line) => ({ number: line.number, text: line.text }));
  },
});

export const store = internalMutation({
  args: v.object({
    opera: v.string(),
    language: v.string(),
    titles: v.array(v.object({ number: v.number(), text: v.string() })),
  }),
  handler: async (ctx, { titles, ...of }) => {
    const old = await ctx.db
      .query("surtitles")
      .withIndex("by_opera_and_language_and_number", (q) =>
        q.eq("opera", of.opera).eq("language", of.language),
      )
      .collect();
    await Promise.all(old.map((title) => ctx.db.delete("surtitles", title._id)));
    for (const title of titles) {
      // What is written until then is undone.
      if (title.text.length > 80) {
        throw new ConvexError({ code: "too_long", number: title.number });
      }
      await ctx.db.insert("surtitles", { ...of, ...title });
    }
    return titles.length;
  },
});

export const translate = internalAction({
  args: v.object({ opera: v.string(), language: v.string() }),
  handler: async (ctx, args) => {
    const titles: Titles = [];
    for (const { number } of await ctx.runQuery(scriptRef, { opera: args.opera })) {
      const address = ["https://titles.example", args.opera, args.language, number].join("/");
      const response = await fetch(address).catch(() => undefined);
      if (response?.status !== 200) throw new ConvexError({ code: "office_failed" });
      const { text } = JSON.parse(await response.text()) as { text: string };
      titles.push({ number, text });
    }
    if (titles.length === 0) throw new ConvexError({ code: "no_lines" });
    return await ctx.runMutation(storeRef, { ...args, titles });
  },
});
