// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Field } from "../../convex/lib/texts";

/** The fields of the form, from top to bottom. */
export const FIELDS: { field: Field; label: string }[] = [
  { field: "title", label: "Title" },
  { field: "abstract", label: "Abstract" },
  { field: "bio", label: "Bio" },
];
