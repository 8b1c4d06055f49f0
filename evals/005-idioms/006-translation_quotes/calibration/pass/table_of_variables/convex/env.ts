// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

/** How one variable is read: null means that its text is wrong, a default that it may be missing. */
interface Variable<T> {
  parse: (text: string) => T | null;
  fallback?: T;
}

const VARIABLES = {
  AGENCY_NAME: { parse: (text: string) => text },
  CENTS_PER_WORD: {
    parse: (text: string) => {
      if (/\D/.test(text)) return null;
      const cents = parseInt(text, 10);
      return cents >= 1 && cents <= 1000 ? cents : null;
    },
    fallback: 12,
  },
  RUSH_ALLOWED: {
    parse: (text: string) => ({ true: true, false: false })[text] ?? null,
    fallback: false,
  },
  LANGUAGES: {
    parse: (text: string) => {
      return /^[a-z]{2}(\s*,\s*[a-z]{2})*$/.test(text) ? text.split(/\s*,\s*/) : null;
    },
    fallback: ["de", "fr"],
  },
};

function load<T>(name: string, { parse, fallback }: Variable<T>): T {
  const text = (process.env[name] ?? "").trim();
  if (text === "") {
    if (fallback === undefined) throw new ConvexError({ code: "missing_variable", name });
    return fallback;
  }
  const value = parse(text);
  if (value === null) throw new ConvexError({ code: "bad_variable", name });
  return value;
}

export function env() {
  const agency = load("AGENCY_NAME", VARIABLES.AGENCY_NAME);
  const centsPerWord = load("CENTS_PER_WORD", VARIABLES.CENTS_PER_WORD);
  const rushAllowed = load("RUSH_ALLOWED", VARIABLES.RUSH_ALLOWED);
  const languages = load("LANGUAGES", VARIABLES.LANGUAGES);
  return { agency, centsPerWord, rushAllowed, languages };
}
