// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v, type Infer } from "convex/values";
import { internal } from "./_generated/api";
import { action, query } from "./_generated/server";

const shape = v.object({ fromM: v.number(), toM: v.number(), rock: v.string() });
type Interval = Infer<typeof shape>;

export const copy = action({
  args: { hole: v.string() },
  returns: v.number(),
  handler: async (ctx, { hole }) => {
    const intervals = parsed(await textOf(hole));
    await ctx.runMutation(internal.storage.write, { hole, intervals });
    return intervals.length;
  },
});

export const log = query({
  args: { hole: v.string() },
  returns: v.array(shape),
  handler: async (ctx, { hole }) => {
    const rows = await ctx.db
      .query("intervals")
      .withIndex("by_hole", (q) => q.eq("hole", hole))
      .collect();
    rows.sort((a, b) => a.fromM - b.fromM);
    return rows.map(({ fromM, toM, rock }) => ({ fromM, toM, rock }));
  },
});

async function textOf(hole: string): Promise<unknown> {
  try {
    const reply = await fetch(new URL(hole, "https://logs.drilling.test/holes/"));
    if (reply.status !== 200) throw new Error(`status ${reply.status}`);
    return JSON.parse(await reply.text());
  } catch {
    throw new ConvexError("no log");
  }
}

function parsed(body: unknown): Interval[] {
  const wrong = new ConvexError("wrong log");
  if (!(body instanceof Array)) throw wrong;
  const intervals: Interval[] = [];
  for (const each of body) {
    const fine =
      typeof each?.fromM === "number" &&
      typeof each.toM === "number" &&
      typeof each.rock === "string" &&
      each.toM > each.fromM;
    if (!fine) throw wrong;
    const clash = intervals.some((one) => one.fromM < each.toM && each.fromM < one.toM);
    if (clash) throw wrong;
    intervals.push({ fromM: each.fromM, toM: each.toM, rock: each.rock });
  }
  return intervals;
}
