// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";



const fields = {
  serial: v.string(),
  maker: v.id("makers"),
  beats: v.int64(),
  rate: v.float64(),
  seal: v.bytes(),
  running: v.boolean(),
  servicedAt: v.union(v.number(), v.null()),
};

export const register = mutation({
  args: fields,
  returns: v.id("chronometers"),
  handler: async (ctx, args) => await ctx.db.insert("chronometers", args),
});

export const get = query({
  args: { chronometer: v.id("chronometers") },
  returns: v.union(
    v.object({ _id: v.id("chronometers"), _creationTime: v.number(), ...fields }),
    v.null(),
  ),
  handler: async (ctx, { chronometer }) => await ctx.db.get("chronometers", chronometer),
});

export const count = mutation({
  args: { chronometer: v.id("chronometers"), by: v.int64() },
  returns: v.int64(),
  handler: async (ctx, { chronometer, by }) => {
    const found = await ctx.db.get("chronometers", chronometer);
    if (found === null) {
      throw new ConvexError("There is no such chronometer.");
    }
    const beats = BigInt(Number(found.beats) + Number(by));
    await ctx.db.patch("chronometers", chronometer, { beats });
    return beats;
  },
});

export const age = query({
  args: { chronometer: v.id("chronometers"), perSecond: v.int64() },
  returns: v.union(v.object({ days: v.int64(), seconds: v.float64() }), v.null()),
  handler: async (ctx, { chronometer, perSecond }) => {
    const found = await ctx.db.get("chronometers", chronometer);
    if (found === null) {
      return null;
    }
    const elapsed = Number(found.beats) / Number(perSecond);
    return { days: BigInt(Math.floor(elapsed / 86_400)), seconds: elapsed % 86_400 };
  },
});

export const isSealed = query({
  args: { chronometer: v.id("chronometers"), seal: v.bytes() },
  returns: v.boolean(),
  handler: async (ctx, { chronometer, seal }) => {
    const found = await ctx.db.get("chronometers", chronometer);
    if (found === null || found.seal.byteLength !== seal.byteLength) {
      return false;
    }
    const asked = new Uint8Array(seal);
    return new Uint8Array(found.seal).every((byte, place) => byte === asked[place]);
  },
});

export const withSeal = query({
  args: { seal: v.bytes() },
  returns: v.array(v.id("chronometers")),
  handler: async (ctx, { seal }) => {
    const found = await ctx.db
      .query("chronometers")
      .withIndex("by_seal", (q) => q.eq("seal", seal))
      .collect();
    return found.map((chronometer) => chronometer._id);
  },
});
