// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { action, query } from "./_generated/server";

type Name = "AGENCY_NAME" | "CENTS_PER_WORD" | "RUSH_ALLOWED" | "LANGUAGES";

const DEFAULTS: Partial<Record<Name, string>> = {
  CENTS_PER_WORD: "12",
  RUSH_ALLOWED: "false",
  LANGUAGES: "de,fr",
};

const FORMS: Record<Name, RegExp> = {
  AGENCY_NAME: /^.+$/s,
  CENTS_PER_WORD: /^0*([1-9][0-9]{0,2}|1000)$/,
  RUSH_ALLOWED: /^(true|false)$/,
  LANGUAGES: /^[a-z]{2}(\s*,\s*[a-z]{2})*$/,
};

class Configuration {
  readonly agency = this.text("AGENCY_NAME");
  readonly centsPerWord = +this.text("CENTS_PER_WORD");
  readonly rushAllowed = this.text("RUSH_ALLOWED") === "true";
  readonly languages: string[] = this.text("LANGUAGES").match(/[a-z]{2}/g) ?? [];

  private text(name: Name): string {
    const text = process.env[name]?.trim() || DEFAULTS[name];
    if (!text) throw new ConvexError({ code: "missing_variable", name });
    if (!FORMS[name].test(text)) throw new ConvexError({ code: "bad_variable", name });
    return text;
  }
}

export const settings = query({
  args: {},
  handler: () => {
    const { agency, centsPerWord, rushAllowed, languages } = new Configuration();
    return { agency, centsPerWord, rushAllowed, languages };
  },
});

export const quote = query({
  args: { words: v.number(), language: v.string(), rush: v.boolean() },
  handler: (_ctx, args) => {
    const configuration = new Configuration();
    if (configuration.languages.indexOf(args.language) === -1) {
      throw new ConvexError({ code: "language_not_offered", language: args.language });
    }
    const price = args.words * configuration.centsPerWord;
    if (!args.rush) return price;
    if (!configuration.rushAllowed) throw new ConvexError({ code: "no_rush" });
    return price * 2;
  },
});

export const letterhead = action({
  args: {},
  handler: async () => {
    const { agency, languages } = new Configuration();
    return `${agency} (${languages.join("/")})`;
  },
});
