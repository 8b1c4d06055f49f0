// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v, type ObjectType } from "convex/values";
import { internal } from "./_generated/api";
import { action, internalMutation, query } from "./_generated/server";
import { interval } from "./schema";

type Interval = ObjectType<typeof interval>;

const SERVICE = "https://logs.drilling.test/holes";

export const copy = action({
  args: { hole: v.string() },
  returns: v.number(),
  handler: async (ctx, { hole }) => {
    const intervals = checked(await fetchLog(hole));
    await ctx.runMutation(internal.boreholes.clear, { hole });
    await ctx.runMutation(internal.boreholes.addAll, { hole, intervals });
    return intervals.length;
  },
});

export const log = query({
  args: { hole: v.string() },
  returns: v.array(v.object(interval)),
  handler: async (ctx, { hole }) => {
    const stored = await ctx.db
      .query("intervals")
      .withIndex("by_hole_and_depth", (q) => q.eq("hole", hole))
      .collect();
    return stored.map(({ fromM, toM, rock }) => ({ fromM, toM, rock }));
  },
});

export const clear = internalMutation({
  args: { hole: v.string() },
  returns: v.null(),
  handler: async (ctx, { hole }) => {
    const old = await ctx.db
      .query("intervals")
      .withIndex("by_hole_and_depth", (q) => q.eq("hole", hole))
      .collect();
    for (const { _id } of old) {
      await ctx.db.delete("intervals", _id);
    }
    return null;
  },
});

export const addAll = internalMutation({
  args: { hole: v.string(), intervals: v.array(v.object(interval)) },
  returns: v.null(),
  handler: async (ctx, { hole, intervals }) => {
    for (const each of intervals) {
      await ctx.db.insert("intervals", { hole, ...each });
    }
    return null;
  },
});

async function fetchLog(hole: string): Promise<unknown> {
  try {
    const reply = await fetch(`${SERVICE}/${hole}`);
    if (reply.status === 200) {
      return await reply.json();
    }
  } catch {
    // No connection and no JSON come to the same as another status.
  }
  throw new ConvexError("no log");
}

function checked(log: unknown): Interval[] {
  if (!Array.isArray(log) || !log.every(isInterval)) {
    throw new ConvexError("wrong log");
  }
  const intervals = log
    .map(({ fromM, toM, rock }) => ({ fromM, toM, rock }))
    .sort((one, other) => one.fromM - other.fromM);
  const overlap = intervals.some((each, n) => n > 0 && each.fromM < intervals[n - 1].toM);
  if (overlap) {
    throw new ConvexError("wrong log");
  }
  return intervals;
}

function isInterval(entry: unknown): entry is Interval {
  if (typeof entry !== "object" || entry === null) {
    return false;
  }
  const { fromM, toM, rock } = entry as Partial<Record<keyof Interval, unknown>>;
  return (
    typeof fromM === "number" &&
    typeof toM === "number" &&
    typeof rock === "string" &&
    fromM < toM
  );
}
