// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { internalMutation, mutation, query } from "./_generated/server";
import { weave, width as anyWidth, type unit } from "./lists";
import { fields } from "./schema";

const FOUND = 10;
const BATCH = 50;

export const add = mutation({
  args: fields,
  handler: async (ctx, args) => await ctx.db.insert("carpets", modern(args)),
});

export const get = query({
  args: { carpet: v.id("carpets") },
  handler: async (ctx, { carpet }) => {
    const found = await ctx.db.get("carpets", carpet);
    return found && shown(found);
  },
});

export const ofWeave = query({
  args: { weave },
  handler: async (ctx, { weave }) => {
    const first = async (state: typeof weave | undefined) =>
      await ctx.db
        .query("carpets")
        .withIndex("by_weave", (q) => q.eq("weave", state))
        .take(FOUND);
    const told = await first(weave);
    const untold = weave === "pile" ? await first(undefined) : [];
    const merged: Doc<"carpets">[] = [];
    while (merged.length < FOUND && (told.length > 0 || untold.length > 0)) {
      const older =
        untold.length === 0 || (told[0]?._creationTime ?? Infinity) < untold[0]._creationTime;
      const [next] = (older ? told : untold).splice(0, 1);
      merged.push(next);
    }
    return merged.map(shown);
  },
});

export const resize = mutation({
  args: { carpet: v.id("carpets"), width: anyWidth },
  handler: async (ctx, { carpet, width }) => {
    const found = await ctx.db.get("carpets", carpet);
    if (found === null) {
      return false;
    }
    const changes = modern({ ...found, width });
    await ctx.db.patch("carpets", carpet, { ...changes, loomNumber: undefined });
    return true;
  },
});

export const upgrade = internalMutation({
  args: {},
  handler: async (ctx) => {
    const old = await ctx.db
      .query("carpets")
      .withIndex("by_weave", (q) => q.eq("weave", undefined))
      .take(BATCH);
    for (const carpet of old) {
      await ctx.db.patch("carpets", carpet._id, { ...modern(carpet), loomNumber: undefined });
    }
    return old.length;
  },
});

type AnyForm = Pick<Doc<"carpets">, "knotter" | "weave" | "width">;

function modern({ knotter, weave, width }: AnyForm) {
  const inUnits: { value: number; unit: Infer<typeof unit> } =
    typeof width === "number" ? { value: width, unit: "cm" } : width;
  return { knotter, weave: weave ?? ("pile" as const), width: inUnits };
}

function shown(carpet: Doc<"carpets">) {
  return { carpet: carpet._id, ...modern(carpet) };
}
