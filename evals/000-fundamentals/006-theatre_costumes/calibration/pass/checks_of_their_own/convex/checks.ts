// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";

export class Refusal extends ConvexError<Record<string, string>> {}

export async function found(ctx: QueryCtx, costume: Id<"costumes">) {
  const document = await ctx.db.get("costumes", costume);
  if (!document) throw new Refusal({ code: "not_found", costume });
  return document;
}

export function checkTag(tag: string) {
  if (!tag) throw new Refusal({ code: "invalid", field: "tag" });
}

export function checkChest(chestCm: number) {
  if (chestCm > 0) return;
  throw new Refusal({ code: "invalid", field: "chestCm" });
}

export async function checkFree(ctx: QueryCtx, tag: string, self: Id<"costumes"> | null) {
  const holder = await ctx.db
    .query("costumes")
    .withIndex("by_tag", (q) => q.eq("tag", tag))
    .first();
  if (holder && holder._id !== self) {
    throw new Refusal({ code: "tag_taken", tag, costume: holder._id });
  }
}
