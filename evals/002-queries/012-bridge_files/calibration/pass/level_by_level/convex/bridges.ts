// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Id, TableNames } from "./_generated/dataModel";
import { query, type QueryCtx } from "./_generated/server";

const entry = v.object({
  _id: v.id("bridges"),
  name: v.string(),
  engineer: v.nullable(v.object({ name: v.string(), phone: v.string() })),
  grade: v.nullable(v.number()),
});

export const lookUp = query({
  args: { ids: v.array(v.string()) },
  returns: v.array(v.nullable(entry)),
  handler: async (ctx, args) => {
    if (args.ids.length > 200) throw new ConvexError("too many bridges");
    const ids = args.ids.map((text) => ctx.db.normalizeId("bridges", text));
    const bridges = await load(ctx, "bridges", ids);
    const engineers = await load(
      ctx,
      "engineers",
      [...bridges.values()].map((bridge) => bridge.engineer),
    );
    const grades = new Map(
      await Promise.all(
        [...bridges.keys()].map(async (bridge) => [bridge, await lastGrade(ctx, bridge)] as const),
      ),
    );
    return ids.map((id) => {
      const bridge = id && bridges.get(id);
      if (!bridge) return null;
      const engineer = bridge.engineer && engineers.get(bridge.engineer);
      return {
        _id: bridge._id,
        name: bridge.name,
        engineer: engineer ? { name: engineer.name, phone: engineer.phone } : null,
        grade: grades.get(bridge._id) ?? null,
      };
    });
  },
});

// Gets each document once. What does not exist is not in the map.
async function load<Table extends TableNames>(
  ctx: QueryCtx,
  _table: Table,
  ids: (Id<Table> | null | undefined)[],
) {
  const distinct = [...new Set(ids.filter((id) => id !== null && id !== undefined))];
  const found = await Promise.all(distinct.map(async (id) => [id, await ctx.db.get(id)] as const));
  return new Map(found.flatMap(([id, document]) => (document ? [[id, document] as const] : [])));
}

async function lastGrade(ctx: QueryCtx, bridge: Id<"bridges">) {
  const [last] = await ctx.db
    .query("inspections")
    .withIndex("by_bridge_and_at", (q) => q.eq("bridge", bridge))
    .order("desc")
    .take(1);
  return last?.grade;
}
