// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

const common = { acquired: v.number(), inventory: v.string() };
const reeds = v.nullable(v.union(v.literal("single"), v.literal("double")));

export const strung = v.object({
  kind: v.literal("string"),
  strings: v.float64(),
  tuning: v.array(v.string()),
});
export const blown = v.object({
  kind: v.literal("wind"),
  bore: v.union(v.literal("cylindrical"), v.literal("conical")),
  reed: reeds,
});
export const struck = v.object({
  kind: v.literal("percussion"),
  pitched: v.boolean(),
  head: v.optional(v.string()),
});

export const anyKind = v.union(struck, blown, strung);
export const instrument = v.union(strung.extend(common), blown.extend(common), struck.extend(common));
