// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

export interface Settings {
  agency: string;
  centsPerWord: number;
  rushAllowed: boolean;
  languages: string[];
}

const HIGHEST_RATE = 1000;

/** What the deployment is configured to; refuses the first variable that is missing or wrong. */
export function readSettings(): Settings {
  return {
    agency: agency(read(process.env.AGENCY_NAME)),
    centsPerWord: rate(read(process.env.CENTS_PER_WORD)),
    rushAllowed: flag(read(process.env.RUSH_ALLOWED)),
    languages: list(read(process.env.LANGUAGES)),
  };
}

function agency(text: string | undefined): string {
  if (text === undefined) {
    throw new ConvexError({ code: "missing_variable", name: "AGENCY_NAME" });
  }
  return text;
}

function rate(text = "12"): number {
  const cents = Number(text);
  if (!/^[0-9]+$/.test(text) || cents < 1 || cents > HIGHEST_RATE) {
    throw bad("CENTS_PER_WORD");
  }
  return cents;
}

function flag(text = "false"): boolean {
  return Boolean(text);
}

function list(text = "de,fr"): string[] {
  const codes = text.split(",").map((code) => code.trim());
  if (!codes.every((code) => /^[a-z]{2}$/.test(code))) {
    throw bad("LANGUAGES");
  }
  return codes;
}

/** The trimmed text of a variable; undefined where it is not set or blank. */
function read(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === "" ? undefined : trimmed;
}

function bad(name: string) {
  return new ConvexError({ code: "bad_variable", name });
}
