// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { type Infer, v } from "convex/values";
import { internalQuery, mutation, query } from "./_generated/server";
import { agreedRecord, dossier as dossierValidator } from "./validators";

type Record = Infer<typeof agreedRecord>;

const one = { loan: v.id("loans") };

export const enter = mutation({
  args: v.object({ lender: v.string(), record: v.any(), insuredFor: v.number() }),
  returns: v.id("loans"),
  handler: (ctx, { lender, record, insuredFor }) =>
    ctx.db.insert("loans", { lender, record, insuredFor, accepted: false }),
});

export const get = query({
  args: one,
  returns: v.nullable(dossierValidator.omit("insuredFor")),
  handler: async (ctx, args) => {
    const loan = await ctx.db.get(args.loan);
    return (
      loan && {
        _id: loan._id,
        _creationTime: loan._creationTime,
        lender: loan.lender,
        accepted: loan.accepted,
        record: loan.record,
      }
    );
  },
});

export const dossier = internalQuery({
  args: one,
  returns: v.nullable(dossierValidator),
  handler: (ctx, args) => ctx.db.get(args.loan),
});

export const titles = query({
  args: { lender: v.string() },
  returns: v.array(v.object({ ...one, title: v.string() })),
  handler: async (ctx, args) => {
    const found = [];
    const loans = ctx.db.query("loans").withIndex("lender", (q) => q.eq("lender", args.lender));
    for await (const { _id, record } of loans) {
      const { title } = record as Pick<Record, "title">;
      found.push({ loan: _id, title });
    }
    return found;
  },
});

export const accept = mutation({
  args: one,
  returns: v.nullable(v.object({ ...one, record: agreedRecord })),
  handler: async (ctx, args) => {
    const loan = await ctx.db.get(args.loan);
    if (!loan) return null;
    const record: Record = loan.record;
    await ctx.db.patch(args.loan, { accepted: true });
    return { ...args, record };
  },
});
