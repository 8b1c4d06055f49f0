// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { mutation } from "./_generated/server";
import { light as description } from "./schema";

const changes = v.object({
  name: v.optional(v.string()),
  beam: v.optional(
    v.object({
      colour: v.optional(v.string()),
      periodS: v.optional(v.number()),
      arc: v.optional(
        v.union(
          v.null(),
          v.object({ fromDeg: v.optional(v.number()), toDeg: v.optional(v.number()) }),
        ),
      ),
    }),
  ),
  keepers: v.optional(v.array(v.string())),
  remarks: v.optional(v.union(v.null(), v.string())),
  fogSignal: v.optional(
    v.union(
      v.null(),
      v.object({ kind: v.optional(v.string()), everyS: v.optional(v.number()) }),
    ),
  ),
});

export const adjust = mutation({
  args: { light: v.id("lights"), changes },
  returns: v.null(),
  handler: async (ctx, { light, changes: given }) => {
    const stored = await ctx.db.get("lights", light);
    if (stored === null) {
      throw new ConvexError("There is no such lighthouse.");
    }
    const arc = given.beam?.arc;
    const beam = { ...stored.beam, ...given.beam, arc: arc === null ? undefined : (arc ?? stored.beam.arc) };
    const fogSignal =
      given.fogSignal === null ? undefined : { ...stored.fogSignal, ...given.fogSignal };
    const complete = fogSignal !== undefined && Object.keys(fogSignal).length > 0;
    await ctx.db.patch("lights", light, {
      name: given.name ?? stored.name,
      keepers: given.keepers ?? stored.keepers,
      beam: beam as Doc<"lights">["beam"],
      remarks: given.remarks === undefined ? stored.remarks : (given.remarks ?? undefined),
      fogSignal: complete ? (fogSignal as Doc<"lights">["fogSignal"]) : undefined,
    });
    return null;
  },
});

export const recommission = mutation({
  args: { light: v.id("lights"), description },
  returns: v.null(),
  handler: async (ctx, { light, description: whole }) => {
    await ctx.db.replace("lights", light, whole);
    return null;
  },
});
