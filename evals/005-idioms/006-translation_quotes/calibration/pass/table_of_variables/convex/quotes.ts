// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import { action, internalQuery, query } from "./_generated/server";
import { env } from "./env";

export const settings = query({ args: {}, handler: async () => env() });

export const current = internalQuery({ args: {}, handler: async () => env() });

export const quote = query({
  args: { words: v.number(), language: v.string(), rush: v.boolean() },
  returns: v.number(),
  handler: async (_, { words, language, rush }) => {
    const agency = env();
    const offered = new Set(agency.languages).has(language);
    if (!offered) throw new ConvexError({ code: "language_not_offered", language });
    if (!rush) return words * agency.centsPerWord;
    if (agency.rushAllowed) return 2 * words * agency.centsPerWord;
    throw new ConvexError({ code: "no_rush" });
  },
});

export const letterhead = action({
  args: {},
  returns: v.string(),
  handler: async (ctx): Promise<string> => {
    const { agency, languages } = await ctx.runQuery(internal.quotes.current, {});
    return agency + " (" + languages.join("/") + ")";
  },
});
