# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The versions of the archery club's code that an answer's tests are run over."""

from typing import Final

from runner.grader import planted

SCHEMA: Final = """\
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  holds: defineTable({ lane: v.number(), archer: v.string() }).index("by_lane", ["lane"]),
  arrows: defineTable({ hold: v.id("holds"), points: v.number() }).index("by_hold", ["hold"]),
});
"""
LANES: Final = """\
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { internalMutation, mutation, query } from "./_generated/server";
import type { MutationCtx, QueryCtx } from "./_generated/server";

async function archerOf(ctx: QueryCtx) {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) throw new ConvexError("not signed in");
  return identity.tokenIdentifier;
}

async function checkHold(ctx: QueryCtx, id: Id<"holds">) {
  const archer = await archerOf(ctx);
  const hold = await ctx.db.get("holds", id);
  if (hold?.archer !== archer) throw new ConvexError("no such hold");
}

function arrowsOf(ctx: QueryCtx, id: Id<"holds">) {
  return ctx.db.query("arrows").withIndex("by_hold", (q) => q.eq("hold", id)).collect();
}

async function removeHold(ctx: MutationCtx, id: Id<"holds">) {
  for (const arrow of await arrowsOf(ctx, id)) await ctx.db.delete("arrows", arrow._id);
  await ctx.db.delete("holds", id);
}

export const take = mutation({
  args: { lane: v.number() },
  handler: async (ctx, { lane }) => {
    const archer = await archerOf(ctx);
    const holds = ctx.db.query("holds").withIndex("by_lane", (q) => q.eq("lane", lane));
    if ((await holds.first()) !== null) throw new ConvexError("lane taken");
    const id = await ctx.db.insert("holds", { lane, archer });
    await ctx.scheduler.runAfter(30 * 60 * 1000, internal.lanes.expire, { id });
    return id;
  },
});

export const shoot = mutation({
  args: { hold: v.id("holds"), points: v.number() },
  handler: async (ctx, { hold, points }) => {
    await checkHold(ctx, hold);
    if (points < 0 || points > 10) throw new ConvexError("no such score");
    await ctx.db.insert("arrows", { hold, points });
    return null;
  },
});

export const sheet = query({
  args: { hold: v.id("holds") },
  handler: async (ctx, { hold }) => {
    await checkHold(ctx, hold);
    return (await arrowsOf(ctx, hold)).map((arrow) => arrow.points);
  },
});

export const leave = mutation({
  args: { hold: v.id("holds") },
  handler: async (ctx, { hold }) => {
    await checkHold(ctx, hold);
    await removeHold(ctx, hold);
    return null;
  },
});

export const expire = internalMutation({
  args: { id: v.id("holds") },
  handler: async (ctx, { id }) => {
    if ((await ctx.db.get("holds", id)) !== null) await removeHold(ctx, id);
  },
});
"""
"""The code as the task gives it."""

_OTHER_SCHEMA: Final = """\
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const holds = defineTable({ lane: v.number(), archer: v.string() })
  .index("by_place", ["lane", "archer"]);
const arrows = defineTable({ hold: v.id("holds"), points: v.number() })
  .index("of_hold", ["hold"]);

export default defineSchema({ holds, arrows });
"""
_OTHER_LANES: Final = """\
import { ConvexError, v, type Infer } from "convex/values";
import { internal } from "./_generated/api";
import { mutation, query, type QueryCtx } from "./_generated/server";
import { clear } from "./clearing";

const own = { hold: v.id("holds") };
const points = v.number();

function refuse(data: string): never {
  throw new ConvexError(data);
}

async function caller(ctx: QueryCtx): Promise<string> {
  const who = await ctx.auth.getUserIdentity();
  return who ? who.tokenIdentifier : refuse("not signed in");
}

function counts(arrow: Infer<typeof points>) {
  return arrow <= 10 && arrow >= 0;
}

export const take = mutation({
  args: { lane: v.number() },
  returns: v.id("holds"),
  handler: async (ctx, args) => {
    const archer = await caller(ctx);
    const there = await ctx.db
      .query("holds")
      .withIndex("by_place", (q) => q.eq("lane", args.lane))
      .unique();
    if (there) refuse("lane taken");
    const hold = await ctx.db.insert("holds", { archer, lane: args.lane });
    await ctx.scheduler.runAt(Date.now() + 1_800_000, internal.clearing.run, { hold });
    return hold;
  },
});

export const shoot = mutation({
  args: { ...own, points },
  returns: v.null(),
  handler: async (ctx, args) => {
    const me = await caller(ctx);
    const mine = await ctx.db.get(args.hold);
    if (!mine || mine.archer !== me) return refuse("no such hold");
    if (!counts(args.points)) return refuse("no such score");
    await ctx.db.insert("arrows", args);
  },
});

export const sheet = query({
  args: own,
  returns: v.array(points),
  handler: async (ctx, args) => {
    const me = await caller(ctx);
    const mine = await ctx.db.get(args.hold);
    if (!mine || mine.archer !== me) return refuse("no such hold");
    const shot: number[] = [];
    const found = ctx.db.query("arrows").withIndex("of_hold", (q) => q.eq("hold", mine._id));
    for await (const arrow of found) shot.push(arrow.points);
    return shot;
  },
});

export const leave = mutation({
  args: own,
  returns: v.null(),
  handler: async (ctx, args) => {
    const me = await caller(ctx);
    const mine = await ctx.db.get(args.hold);
    if (!mine) return refuse("no such hold");
    if (mine.archer !== me) return refuse("no such hold");
    await clear(ctx, mine._id);
  },
});
"""
_CLEARING: Final = """\
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { internalMutation, type MutationCtx } from "./_generated/server";

export async function clear(ctx: MutationCtx, hold: Id<"holds">) {
  const arrows = await ctx.db
    .query("arrows")
    .withIndex("of_hold", (q) => q.eq("hold", hold))
    .collect();
  await Promise.all(arrows.map(({ _id }) => ctx.db.delete(_id)));
  await ctx.db.delete(hold);
}

export const run = internalMutation({
  args: { hold: v.id("holds") },
  returns: v.null(),
  handler: async (ctx, { hold }) => {
    const left = await ctx.db.get(hold);
    if (left) await clear(ctx, hold);
    return null;
  },
});
"""

_AWAY: Final = "clearing"
"""The module of internal functions that the code as given does not have."""
_GIVEN: Final = {"convex/schema.ts": SCHEMA, "convex/lanes.ts": LANES}
_OTHER: Final = {
    "convex/schema.ts": _OTHER_SCHEMA,
    "convex/lanes.ts": _OTHER_LANES,
    f"convex/{_AWAY}.ts": _CLEARING,
}


def _with_bug(version: dict[str, str], file: str, old: str, new: str) -> dict[str, str]:
    """Break one rule of a version."""
    path = f"convex/{file}.ts"
    return {**version, path: planted(version[path], old, new)}


VERSIONS: Final = {
    "as given": _GIVEN,
    "written otherwise": _OTHER,
    "ten is refused": _with_bug(_GIVEN, "lanes", "points > 10", "points >= 10"),
    "left by anybody": _with_bug(
        _OTHER, "lanes", '    if (mine.archer !== me) return refuse("no such hold");\n', ""
    ),
    "newest first": _with_bug(
        _OTHER,
        "lanes",
        "for await (const arrow of found)",
        'for await (const arrow of found.order("desc"))',
    ),
    "arrows stay": _with_bug(
        _GIVEN,
        "lanes",
        'await ctx.db.delete("arrows", arrow._id);',
        ";",
    ),
    "never expires": _with_bug(
        _OTHER,
        "lanes",
        "    await ctx.scheduler.runAt(Date.now() + 1_800_000, internal.clearing.run, { hold });\n",
        "",
    ),
    "expires at once": _with_bug(_GIVEN, "lanes", "30 * 60 * 1000", "30 * 60"),
}
"""Two right versions, and six that break one rule each; three of either's handwriting."""
