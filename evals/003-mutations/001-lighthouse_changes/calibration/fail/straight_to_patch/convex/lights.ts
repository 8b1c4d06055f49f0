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
    const { remarks, fogSignal, beam, ...rest } = given;
    const fields = { ...rest } as Partial<Doc<"lights">>;
    if (beam !== undefined) {
      fields.beam = { ...beam, arc: beam.arc ?? undefined } as Doc<"lights">["beam"];
    }
    if (remarks !== undefined) {
      fields.remarks = remarks ?? undefined;
    }
    if (fogSignal !== undefined) {
      fields.fogSignal = (fogSignal ?? undefined) as Doc<"lights">["fogSignal"];
    }
    await ctx.db.patch("lights", light, fields);
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
