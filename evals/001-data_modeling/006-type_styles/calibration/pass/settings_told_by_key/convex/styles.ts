// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query, type QueryCtx } from "./_generated/server";
import schema from "./schema";

const { name, base, tracking, figures, caps } = schema.tables.styles.validator.fields;
const style = v.id("styles");

export const create = mutation({
  args: { name, base, tracking, figures, caps },
  returns: style,
  handler: (ctx, args) => ctx.db.insert("styles", args),
});

export const change = mutation({
  args: { style, name: v.optional(name), tracking, figures, caps },
  returns: v.boolean(),
  handler: async (ctx, args) => {
    const { style, ...given } = args;
    const stored = await ctx.db.get("styles", style);
    if (stored === null) return false;
    const { _id, _creationTime, ...fields } = stored;
    await ctx.db.replace("styles", _id, { ...fields, ...given });
    return true;
  },
});

export const inherit = mutation({
  args: { style, field: v.union(...(["tracking", "figures", "caps"] as const).map((f) => v.literal(f))) },
  returns: v.boolean(),
  handler: async (ctx, { style, field }) => {
    const stored = await ctx.db.get("styles", style);
    if (!stored) return false;
    switch (field) {
      case "tracking":
        await ctx.db.patch("styles", style, { tracking: undefined });
        break;
      case "figures":
        await ctx.db.patch("styles", style, { figures: undefined });
        break;
      case "caps":
        await ctx.db.patch("styles", style, { caps: undefined });
    }
    return true;
  },
});

type Settings = Pick<Doc<"styles">, "tracking" | "figures" | "caps">;

async function applying(ctx: QueryCtx, id: Id<"styles"> | null): Promise<Settings | null> {
  const found = id && (await ctx.db.get("styles", id));
  if (!found) return null;
  const inherited = (await applying(ctx, found.base)) ?? {};
  const { tracking, figures, caps } = inherited;
  return {
    tracking: "tracking" in found ? found.tracking : tracking,
    figures: "figures" in found ? found.figures : figures,
    caps: "caps" in found ? found.caps : caps,
  };
}

export const resolved = query({
  args: { style },
  handler: async (ctx, args) => {
    const found = await applying(ctx, args.style);
    const nothing = { tracking: null, figures: null, caps: null };
    if (found === null) return null;
    const said = Object.entries(found).filter(([, value]) => value !== undefined);
    return { ...nothing, ...Object.fromEntries(said) };
  },
});

export const variants = query({
  args: { base, figures },
  returns: v.array(style),
  handler: async (ctx, args) => {
    const ids: Id<"styles">[] = [];
    const range = ctx.db.query("styles").withIndex("variants", (q) => {
      const based = q.eq("base", args.base);
      return "figures" in args ? based.eq("figures", args.figures) : based.eq("figures", undefined);
    });
    for await (const { _id } of range) {
      if (ids.push(_id) === 20) break;
    }
    return ids;
  },
});
