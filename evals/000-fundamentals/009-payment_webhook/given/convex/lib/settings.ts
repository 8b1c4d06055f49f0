// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

/**
 * Return a setting of the deployment, or undefined if it is not set.
 *
 * Whoever keeps the settings cannot delete one, only empty it: a setting of blanks is not set.
 */
export function readSetting(name: string): string | undefined {
  const text = process.env[name]?.trim();
  return text === "" ? undefined : text;
}

/** Return a setting that the app cannot do without. */
export function requireSetting(name: string): string {
  const text = readSetting(name);
  if (text === undefined) {
    throw new ConvexError({ code: "not_configured", name });
  }
  return text;
}
