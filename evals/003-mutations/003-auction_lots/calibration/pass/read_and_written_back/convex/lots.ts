// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, type MutationCtx } from "./_generated/server";
import { description } from "./schema";

type Code = "NO_LOT" | "WITHDRAWN" | "NO_TITLE" | "BAD_ESTIMATE" | "BAD_RESERVE";

function refuse(code: Code): never {
  throw new ConvexError({ code });
}

/** Puts what `next` makes of the lot in its place. */
async function change(
  ctx: MutationCtx,
  id: Id<"lots">,
  seen: number,
  next: (lot: Doc<"lots">) => Doc<"lots">,
) {
  const stored = (await ctx.db.get("lots", id)) ?? refuse("NO_LOT");
  if (stored.withdrawn) refuse("WITHDRAWN");
  const { revision } = stored;
  if (revision !== seen) throw new ConvexError({ code: "OUTDATED", revision });

  const lot = next(stored);
  const { low, high } = lot.estimate ?? { low: Infinity, high: Infinity };
  if (lot.title.length === 0) refuse("NO_TITLE");
  if (low > high) refuse("BAD_ESTIMATE");
  if (lot.reserve !== undefined && lot.reserve > low) refuse("BAD_RESERVE");
  await ctx.db.replace("lots", id, { ...lot, revision: revision + 1 });
  return revision + 1;
}

export const correct = mutation({
  args: { lot: v.id("lots"), revision: v.number(), changes: description.partial() },
  handler: async (ctx, { lot, revision, changes }) =>
    await change(ctx, lot, revision, (stored) => ({ ...stored, ...changes })),
});

export const rewrite = mutation({
  args: { lot: v.id("lots"), revision: v.number(), description },
  handler: async (ctx, { lot, revision, description: whole }) =>
    await change(
      ctx,
      lot,
      revision,
      ({ title: _title, estimate: _estimate, reserve: _reserve, provenance: _old, ...rest }) => ({
        ...rest,
        ...whole,
      }),
    ),
});
