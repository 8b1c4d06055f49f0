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

type Arc = NonNullable<Doc<"lights">["beam"]["arc"]>;
type FogSignal = NonNullable<Doc<"lights">["fogSignal"]>;

function changedArc(stored: Arc | undefined, given: Partial<Arc> | null | undefined) {
  if (given === undefined) {
    return stored;
  }
  if (given === null) {
    return undefined;
  }
  const { fromDeg, toDeg } = { ...stored, ...given };
  if (fromDeg === undefined || toDeg === undefined) {
    throw new ConvexError("An arc needs both its ends.");
  }
  return { fromDeg, toDeg };
}

function changedFogSignal(
  stored: FogSignal | undefined,
  given: Partial<FogSignal> | null | undefined,
) {
  if (given === undefined) {
    return stored;
  }
  if (given === null) {
    return undefined;
  }
  const { kind, everyS } = { ...stored, ...given };
  if (kind === undefined || everyS === undefined) {
    throw new ConvexError("A fog signal needs its kind and its interval.");
  }
  return { kind, everyS };
}

export const adjust = mutation({
  args: { light: v.id("lights"), changes },
  returns: v.null(),
  handler: async (ctx, { light, changes: given }) => {
    const stored = await ctx.db.get("lights", light);
    if (stored === null) {
      throw new ConvexError("There is no such lighthouse.");
    }
    await ctx.db.patch("lights", light, {
      name: given.name,
      keepers: given.keepers,
      beam: {
        colour: given.beam?.colour ?? stored.beam.colour,
        periodS: given.beam?.periodS ?? stored.beam.periodS,
        arc: changedArc(stored.beam.arc, given.beam?.arc),
      },
      remarks: given.remarks ?? undefined,
      fogSignal: changedFogSignal(stored.fogSignal, given.fogSignal),
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
