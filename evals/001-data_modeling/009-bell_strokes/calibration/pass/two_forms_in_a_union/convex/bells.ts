// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { internalMutation, mutation, query } from "./_generated/server";
import { stroke } from "./schema";

type Stroke = Infer<typeof stroke>;

const bell = v.id("bells");
const batch = 100;

function listOf(found: Doc<"bells"> | null): Stroke[] | null {
  return found !== null && "strokes" in found ? found.strokes : null;
}

export const cast = mutation({
  args: { name: v.string() },
  returns: bell,
  handler: async (ctx, args) => await ctx.db.insert("bells", args),
});

export const ring = mutation({
  args: { bell, ...stroke.fields },
  returns: v.boolean(),
  handler: async (ctx, args) => {
    const found = await ctx.db.get("bells", args.bell);
    if (found) await ctx.db.insert("strokes", args);
    return found !== null;
  },
});

export const latest = query({
  args: { bell, limit: v.number() },
  returns: v.array(stroke),
  handler: async (ctx, args) => {
    const found = await ctx.db.get("bells", args.bell);
    if (!found) return [];
    const listed = (listOf(found) ?? []).toSorted((one, other) => one.at - other.at);
    const latest: Stroke[] = [];
    const take = ({ at, force }: Stroke) => latest.push({ at, force });
    const rows = ctx.db
      .query("strokes")
      .withIndex("of_bell", (q) => q.eq("bell", args.bell))
      .order("desc");
    // Two sorted sequences become one.
    for (const row of await rows.take(args.limit)) {
      while ((listed.at(-1)?.at ?? -Infinity) > row.at) take(listed.pop()!);
      take(row);
    }
    return [...latest, ...listed.reverse()].slice(0, args.limit);
  },
});

export const move = internalMutation({
  args: { bell },
  returns: v.number(),
  handler: async (ctx, args) => {
    const found = await ctx.db.get("bells", args.bell);
    const list = listOf(found);
    if (!found || !list) return 0;
    const [moved, kept] = [list.slice(0, batch), list.slice(batch)];
    await Promise.all(moved.map((each) => ctx.db.insert("strokes", { ...args, ...each })));
    const { name } = found;
    await ctx.db.replace("bells", args.bell, kept.length ? { name, strokes: kept } : { name });
    return kept.length;
  },
});
