// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalQuery, mutation, query } from "./_generated/server";
import { lent } from "./model";

const withoutYear = {
  title: v.string(),
  maker: v.union(v.null(), v.string()),
  state: v.union(v.literal("damaged"), v.union(v.literal("worn"), v.literal("sound"))),
  parts: v.array(v.object({ count: v.number(), name: v.string() })),
  sizes: v.record(v.string(), v.number()),
};
const record = v.union(v.object(withoutYear), v.object({ ...withoutYear, year: v.number() }));

const shown = {
  _id: v.id("loans"),
  _creationTime: v.number(),
  lender: v.string(),
  accepted: v.union(v.literal(true), v.literal(false)),
  record,
};

export const enter = mutation({
  args: { lender: v.string(), record: v.any(), insuredFor: v.number() },
  returns: v.id("loans"),
  handler: async (ctx, args) => {
    const loan = await ctx.db.insert("loans", { accepted: false, ...args });
    return loan;
  },
});

export const dossier = internalQuery({
  args: { loan: v.id("loans") },
  returns: v.union(v.null(), v.object({ ...shown, insuredFor: v.number() })),
  handler: async (ctx, args) => await lent(ctx, args.loan),
});

export const get = query({
  args: { loan: v.id("loans") },
  returns: v.union(v.null(), v.object(shown)),
  handler: async (ctx, args) => {
    const document = await lent(ctx, args.loan);
    // What is undefined does not go out.
    return document && { ...document, insuredFor: undefined };
  },
});

export const titles = query({
  args: { lender: v.string() },
  returns: v.array(v.object({ title: v.string(), loan: v.id("loans") })),
  handler: async (ctx, args) =>
    (
      await ctx.db
        .query("loans")
        .withIndex("by_lender", (q) => q.eq("lender", args.lender))
        .order("asc")
        .take(200)
    ).map((loan) => ({ title: loan.record.title, loan: loan._id })),
});

export const accept = mutation({
  args: { loan: v.id("loans") },
  returns: v.union(v.null(), v.object({ record, loan: v.id("loans") })),
  handler: async (ctx, { loan }) => {
    const document = await lent(ctx, loan);
    if (document === null) return document;
    await ctx.db.replace("loans", loan, { ...document, accepted: true });
    return { loan, record: document.record };
  },
});
