// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { action, query } from "./_generated/server";
import { readSettings } from "./settings";

const SETTINGS = readSettings();

export const settings = query({
  args: {},
  returns: v.object({
    agency: v.string(),
    centsPerWord: v.number(),
    rushAllowed: v.boolean(),
    languages: v.array(v.string()),
  }),
  handler: async () => SETTINGS,
});

export const quote = query({
  args: { words: v.number(), language: v.string(), rush: v.boolean() },
  handler: async (_ctx, { words, language, rush }) => {
    const { centsPerWord, rushAllowed, languages } = SETTINGS;
    if (!languages.includes(language)) {
      throw new ConvexError({ code: "language_not_offered", language });
    }
    if (rush && !rushAllowed) {
      throw new ConvexError({ code: "no_rush" });
    }
    return words * centsPerWord * (rush ? 2 : 1);
  },
});

export const letterhead = action({
  args: {},
  handler: async () => {
    const { agency, languages } = SETTINGS;
    return `${agency} (${languages.join("/")})`;
  },
});
