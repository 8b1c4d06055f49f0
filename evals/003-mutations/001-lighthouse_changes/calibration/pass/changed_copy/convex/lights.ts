// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
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

function without<T extends object>(value: T): T {
  const kept = Object.entries(value).filter(([, part]) => part !== undefined && part !== null);
  return Object.fromEntries(kept) as T;
}

export const adjust = mutation({
  args: { light: v.id("lights"), changes },
  handler: async (ctx, { light, changes: { beam, fogSignal, ...plain } }) => {
    const stored = await ctx.db.get("lights", light);
    if (!stored) throw new Error("There is no such lighthouse.");

    const next = { ...stored, ...plain, beam: { ...stored.beam, ...beam } };
    const arc = beam?.arc && { ...stored.beam.arc, ...beam.arc };
    next.beam = { ...next.beam, arc: beam?.arc === undefined ? stored.beam.arc : arc };
    const signal = fogSignal && { ...stored.fogSignal, ...fogSignal };

    // What is incomplete now is refused by the schema when it is written.
    await ctx.db.replace(
      "lights",
      light,
      without({
        ...next,
        beam: without(next.beam),
        fogSignal: fogSignal === undefined ? stored.fogSignal : signal,
      }) as typeof stored,
    );
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
