// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { query, type QueryCtx } from "./_generated/server";

const MOST_AT_ONCE = 200;

export const lookUp = query({
  args: { ids: v.array(v.string()) },
  handler: async (ctx, { ids }) => {
    if (ids.length > MOST_AT_ONCE) {
      throw new ConvexError("too many bridges");
    }
    const engineerOf = (id: Id<"engineers">) => readEngineer(ctx, id);
    const entryOf = async (text: string) => {
      const id = ctx.db.normalizeId("bridges", text);
      const bridge = id && (await ctx.db.get("bridges", id));
      return bridge && (await entry(ctx, bridge, engineerOf));
    };
    return await Promise.all(ids.map(entryOf));
  },
});

async function entry(
  ctx: QueryCtx,
  { _id, name, engineer }: Doc<"bridges">,
  engineerOf: (id: Id<"engineers">) => ReturnType<typeof readEngineer>,
) {
  const last = await ctx.db
    .query("inspections")
    .withIndex("by_bridge_and_at", (q) => q.eq("bridge", _id))
    .order("desc")
    .first();
  return {
    _id,
    name,
    engineer: engineer === undefined ? null : await engineerOf(engineer),
    grade: last === null ? null : last.grade,
  };
}

async function readEngineer(ctx: QueryCtx, id: Id<"engineers">) {
  const engineer = await ctx.db.get("engineers", id);
  return engineer && { name: engineer.name, phone: engineer.phone };
}
