// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";

/** What people write in a talk. */
export const textFields = {
  title: v.string(),
  abstract: v.string(),
  // About the speaker.
  bio: v.string(),
};

const allTexts = v.object(textFields);
export const someTexts = allTexts.partial();

export type Field = keyof Infer<typeof allTexts>;

/** The most characters that a text may have. */
export const LONGEST: Record<Field, number> = { title: 40, abstract: 600, bio: 200 };

/** Returns a text as it is stored: without blanks around it, and with single ones between words. */
export function tidy(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}
