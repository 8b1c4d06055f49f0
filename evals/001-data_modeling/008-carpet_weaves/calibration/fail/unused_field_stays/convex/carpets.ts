// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { internalMutation, mutation, query } from "./_generated/server";
import { anyWidth, weave, type width as measured } from "./schema";

const FOUND = 10;
const BATCH = 50;

export const add = mutation({
  args: { knotter: v.string(), width: anyWidth, weave: v.optional(weave) },
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
    const states = weave === "pile" ? [weave, undefined] : [weave];
    const found = await Promise.all(
      states.map((state) =>
        ctx.db
          .query("carpets")
          .withIndex("by_weave", (q) => q.eq("weave", state))
          .take(FOUND),
      ),
    );
    const oldest = found.flat().sort((a, b) => a._creationTime - b._creationTime);
    return oldest.slice(0, FOUND).map(shown);
  },
});

export const resize = mutation({
  args: { carpet: v.id("carpets"), width: anyWidth },
  handler: async (ctx, { carpet, width }) => {
    const found = await ctx.db.get("carpets", carpet);
    if (found === null) {
      return false;
    }
    await ctx.db.patch("carpets", carpet, modern({ ...found, width }));
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
      await ctx.db.patch("carpets", carpet._id, modern(carpet));
    }
    return old.length;
  },
});

type AnyForm = Pick<Doc<"carpets">, "knotter" | "weave" | "width">;

function modern({ knotter, weave, width }: AnyForm) {
  const inUnits: Infer<typeof measured> =
    typeof width === "number" ? { value: width, unit: "cm" } : width;
  return { knotter, weave: weave ?? ("pile" as const), width: inUnits };
}

function shown(carpet: Doc<"carpets">) {
  return { carpet: carpet._id, ...modern(carpet) };
}
