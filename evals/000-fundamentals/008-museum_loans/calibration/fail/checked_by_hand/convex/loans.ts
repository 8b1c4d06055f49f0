// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalQuery, mutation, query } from "./_generated/server";

const STATES = ["sound", "worn", "damaged"];

const isText = (value: unknown) => typeof value === "string";
const isNumber = (value: unknown) => typeof value === "number";

/** Throws where a record is not of the agreed form. */
function check(record: any) {
  const known = ["title", "maker", "year", "state", "parts", "sizes"];
  const fits =
    record !== null &&
    typeof record === "object" &&
    Object.keys(record).every((key) => known.includes(key)) &&
    isText(record.title) &&
    (record.maker === null || isText(record.maker)) &&
    (record.year === undefined || isNumber(record.year)) &&
    STATES.includes(record.state) &&
    Array.isArray(record.parts) &&
    record.parts.every((part: any) => isText(part?.name) && isNumber(part?.count)) &&
    Object.values(record.sizes).every(isNumber);
  if (!fits) throw new Error("The record is not of the agreed form.");
  return record;
}

const publicLoan = {
  _id: v.id("loans"),
  _creationTime: v.number(),
  lender: v.string(),
  record: v.any(),
  accepted: v.boolean(),
};

export const enter = mutation({
  args: { lender: v.string(), record: v.any(), insuredFor: v.number() },
  returns: v.id("loans"),
  handler: async (ctx, args) => await ctx.db.insert("loans", { ...args, accepted: false }),
});

export const get = query({
  args: { loan: v.id("loans") },
  returns: v.union(v.object(publicLoan), v.null()),
  handler: async (ctx, args) => {
    const loan = await ctx.db.get("loans", args.loan);
    if (loan === null) return null;
    const { insuredFor: _, ...shown } = loan;
    return { ...shown, record: check(shown.record) };
  },
});

export const dossier = internalQuery({
  args: { loan: v.id("loans") },
  returns: v.union(v.object({ ...publicLoan, insuredFor: v.number() }), v.null()),
  handler: async (ctx, { loan }) => await ctx.db.get("loans", loan),
});

export const titles = query({
  args: { lender: v.string() },
  returns: v.array(v.object({ loan: v.id("loans"), title: v.any() })),
  handler: async (ctx, { lender }) => {
    const loans = await ctx.db
      .query("loans")
      .withIndex("by_lender", (q) => q.eq("lender", lender))
      .collect();
    // A record may be anything, also null.
    return loans.map(({ _id, record }) => ({ loan: _id, title: record?.title }));
  },
});

export const accept = mutation({
  args: { loan: v.id("loans") },
  returns: v.union(v.object({ loan: v.id("loans"), record: v.any() }), v.null()),
  handler: async (ctx, args) => {
    const loan = await ctx.db.get("loans", args.loan);
    if (loan === null) return null;
    await ctx.db.patch("loans", loan._id, { accepted: true });
    return { loan: loan._id, record: check(loan.record) };
  },
});
