// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { mutation } from "./_generated/server";
import { light as whole } from "./schema";

const { name, keepers } = whole.fields;
const arc = v.object({ fromDeg: v.number(), toDeg: v.number() }).partial();
const fogSignal = v.object({ kind: v.string(), everyS: v.number() }).partial();

export const adjust = mutation({
  args: {
    light: v.id("lights"),
    changes: v.object({
      name: v.optional(name),
      keepers: v.optional(keepers),
      remarks: v.optional(v.nullable(v.string())),
      fogSignal: v.optional(v.nullable(fogSignal)),
      beam: v.optional(
        v.object({
          colour: v.optional(v.string()),
          periodS: v.optional(v.number()),
          arc: v.optional(v.nullable(arc)),
        }),
      ),
    }),
  },
  handler: async (ctx, { light, changes }) => {
    const stored = await ctx.db.get("lights", light);
    if (stored === null) throw new ConvexError({ code: "NOT_FOUND" });

    const patch: Partial<Doc<"lights">> = {};
    if (changes.name !== undefined) patch.name = changes.name;
    if (changes.keepers !== undefined) patch.keepers = changes.keepers;
    if (changes.remarks !== undefined) patch.remarks = changes.remarks ?? undefined;
    if (changes.fogSignal === null) {
      patch.fogSignal = undefined;
    } else if (changes.fogSignal !== undefined) {
      const kind = changes.fogSignal.kind ?? stored.fogSignal?.kind;
      const everyS = changes.fogSignal.everyS ?? stored.fogSignal?.everyS;
      if (kind === undefined || everyS === undefined) throw new ConvexError({ code: "INCOMPLETE" });
      patch.fogSignal = { kind, everyS };
    }
    if (changes.beam !== undefined) {
      const { colour = stored.beam.colour, periodS = stored.beam.periodS } = changes.beam;
      patch.beam = { colour, periodS, arc: stored.beam.arc };
      if (changes.beam.arc === null) {
        delete patch.beam.arc;
      } else if (changes.beam.arc !== undefined) {
        const fromDeg = changes.beam.arc.fromDeg ?? stored.beam.arc?.fromDeg;
        const toDeg = changes.beam.arc.toDeg ?? stored.beam.arc?.toDeg;
        if (fromDeg === undefined || toDeg === undefined) {
          throw new ConvexError({ code: "INCOMPLETE" });
        }
        patch.beam.arc = { fromDeg, toDeg };
      }
    }
    await ctx.db.patch("lights", light, patch);
    return null;
  },
});

export const recommission = mutation({
  args: { light: v.id("lights"), description: whole },
  handler: async (ctx, { light, description }) => {
    if (!(await ctx.db.get("lights", light))) throw new ConvexError({ code: "NOT_FOUND" });
    await ctx.db.replace("lights", light, description);
    return null;
  },
});
