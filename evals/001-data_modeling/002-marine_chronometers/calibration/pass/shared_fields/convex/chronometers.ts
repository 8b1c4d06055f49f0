// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query, type QueryCtx } from "./_generated/server";
import { chronometerFields } from "./fields";

const id = v.id("chronometers");
const document = v.object({ ...chronometerFields, _id: id, _creationTime: v.number() });

async function found(ctx: QueryCtx, chronometer: Id<"chronometers">): Promise<Doc<"chronometers">> {
  const stored = await ctx.db.get("chronometers", chronometer);
  if (stored === null) throw new Error(`No chronometer ${chronometer}`);
  return stored;
}

function sameBytes(one: ArrayBuffer, other: ArrayBuffer): boolean {
  if (one.byteLength !== other.byteLength) return false;
  const [left, right] = [new DataView(one), new DataView(other)];
  for (let place = 0; place < one.byteLength; place++) {
    if (left.getUint8(place) !== right.getUint8(place)) return false;
  }
  return true;
}

export const register = mutation({
  args: chronometerFields,
  returns: id,
  handler: (ctx, args) => ctx.db.insert("chronometers", { ...args }),
});

export const get = query({
  args: { chronometer: id },
  returns: v.nullable(document),
  handler: (ctx, args) => ctx.db.get("chronometers", args.chronometer),
});

export const count = mutation({
  args: { chronometer: id, by: v.int64() },
  returns: v.int64(),
  handler: async (ctx, args) => {
    const { _id, _creationTime, beats, ...rest } = await found(ctx, args.chronometer);
    const sum = beats + args.by;
    if (BigInt.asIntN(64, sum) !== sum) throw new Error("Too many beats");
    await ctx.db.replace("chronometers", _id, { ...rest, beats: sum });
    return sum;
  },
});

export const age = query({
  args: { chronometer: id, perSecond: v.int64() },
  returns: v.nullable(v.object({ days: v.int64(), seconds: v.number() })),
  handler: async (ctx, { chronometer, perSecond }) => {
    const stored = await ctx.db.get("chronometers", chronometer);
    if (!stored) return null;
    const seconds = stored.beats / perSecond;
    const fraction = Number(stored.beats % perSecond) / Number(perSecond);
    return { days: seconds / 86400n, seconds: Number(seconds % 86400n) + fraction };
  },
});

export const isSealed = query({
  args: { chronometer: id, seal: v.bytes() },
  returns: v.boolean(),
  handler: async (ctx, { chronometer, seal }) => {
    const stored = await ctx.db.get("chronometers", chronometer);
    return stored !== null && sameBytes(stored.seal, seal);
  },
});

export const withSeal = query({
  args: { seal: v.bytes() },
  returns: v.array(id),
  handler: async (ctx, { seal }) => {
    const ids: Id<"chronometers">[] = [];
    const sealed = ctx.db.query("chronometers").withIndex("seal", (q) => q.eq("seal", seal));
    for await (const { _id } of sealed) ids.push(_id);
    return ids;
  },
});
