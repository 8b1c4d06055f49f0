// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import { mutation, query } from "./_generated/server";
import { anyKind, instrument, type blown, type struck, type strung } from "./kinds";

const id = v.id("instruments");

export const acquire = mutation({
  args: { instrument },
  returns: id,
  handler: (ctx, { instrument }) => ctx.db.insert("instruments", instrument),
});

export const ofKind = query({
  args: { kind: v.union(...anyKind.members.map((member) => member.fields.kind)) },
  handler: (ctx, args) =>
    ctx.db
      .query("instruments")
      .withIndex("kind", (q) => q.eq("kind", args.kind))
      .order("asc")
      .take(100),
});

export const withStrings = query({
  args: { strings: v.float64() },
  handler: (ctx, args) =>
    ctx.db
      .query("instruments")
      .withIndex("strings", (q) => q.eq("strings", args.strings))
      .take(100),
});

export const reclassify = mutation({
  args: { instrument: id, as: anyKind },
  returns: v.boolean(),
  handler: async (ctx, { instrument, as }) => {
    const stored = await ctx.db.get("instruments", instrument);
    if (!stored) return false;
    const kept = { inventory: stored.inventory, acquired: stored.acquired };
    await ctx.db.replace("instruments", instrument, { ...as, ...kept });
    return true;
  },
});

export const retune = mutation({
  args: { instrument: id, tuning: v.array(v.string()) },
  returns: v.boolean(),
  handler: async (ctx, { instrument, tuning }) => {
    const stored = await ctx.db.get("instruments", instrument);
    if (!stored || stored.kind !== "string") return false;
    const { _id, _creationTime, ...rest } = stored;
    await ctx.db.replace("instruments", instrument, { ...rest, tuning });
    return true;
  },
});

const ofStrung = ({ strings, tuning }: Infer<typeof strung>) =>
  [`${strings} strings`, tuning.join(" ")].slice(0, tuning.length ? 2 : 1).join(": ");
const ofBlown = ({ bore, reed }: Infer<typeof blown>) =>
  `${bore}, ${reed === null ? "no" : reed} reed`;
const ofStruck = ({ pitched, head }: Infer<typeof struck>) =>
  (pitched ? "" : "un") + "pitched" + (head === undefined ? "" : ` with head of ${head}`);

export const label = query({
  args: { instrument: id },
  returns: v.nullable(v.string()),
  handler: async (ctx, args) => {
    const stored = await ctx.db.get("instruments", args.instrument);
    if (!stored) return null;
    if (stored.kind === "string") return ofStrung(stored);
    return stored.kind === "wind" ? ofBlown(stored) : ofStruck(stored);
  },
});
