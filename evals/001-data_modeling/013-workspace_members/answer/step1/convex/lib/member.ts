// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import { role } from "./roles";

/** `name` is the person's present name; `since` is when they joined. */
export const member = v.object({
  user: v.string(),
  name: v.string(),
  role,
  since: v.number(),
});

export type Member = Infer<typeof member>;
