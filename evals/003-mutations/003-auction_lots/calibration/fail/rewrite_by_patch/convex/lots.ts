// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v, type Infer } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { mutation, type MutationCtx } from "./_generated/server";
import { description } from "./schema";

/** Returns the lot if the caller may change it now. */
async function seen(ctx: MutationCtx, id: Id<"lots">, revision: number) {
  const lot = await ctx.db.get("lots", id);
  if (lot === null) {
    throw new ConvexError({ code: "NO_LOT" });
  }
  if (lot.withdrawn) {
    throw new ConvexError({ code: "WITHDRAWN" });
  }
  if (lot.revision !== revision) {
    throw new ConvexError({ code: "OUTDATED", revision: lot.revision });
  }
  return lot;
}

function demandSound({ title, estimate, reserve }: Infer<typeof description>) {
  if (title === "") {
    throw new ConvexError({ code: "NO_TITLE" });
  }
  if (estimate !== undefined && estimate.low > estimate.high) {
    throw new ConvexError({ code: "BAD_ESTIMATE" });
  }
  if (estimate !== undefined && reserve !== undefined && reserve > estimate.low) {
    throw new ConvexError({ code: "BAD_RESERVE" });
  }
}

export const correct = mutation({
  args: { lot: v.id("lots"), revision: v.number(), changes: description.partial() },
  returns: v.number(),
  handler: async (ctx, { lot, revision, changes }) => {
    const stored = await seen(ctx, lot, revision);
    demandSound({ ...stored, ...changes });
    await ctx.db.patch("lots", lot, { ...changes, revision: revision + 1 });
    return revision + 1;
  },
});

export const rewrite = mutation({
  args: { lot: v.id("lots"), revision: v.number(), description },
  returns: v.number(),
  handler: async (ctx, { lot, revision, description: whole }) => {
    await seen(ctx, lot, revision);
    demandSound(whole);
    await ctx.db.patch("lots", lot, { ...whole, revision: revision + 1 });
    return revision + 1;
  },
});
