// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query, type MutationCtx, type QueryCtx } from "./_generated/server";
import { guarded, refuse } from "./guarded";

const role = v.union(v.literal("listener"), v.literal("operator"), v.literal("steward"));

export const latest = query({
  args: {},
  returns: v.array(v.object({ _id: v.id("contacts"), station: v.string(), mhz: v.number() })),
  handler: guarded("listener", async (ctx: QueryCtx) => {
    const newest = await ctx.db.query("contacts").order("desc").take(20);
    return newest.map((each) => ({ _id: each._id, station: each.station, mhz: each.mhz }));
  }),
});

export const enter = mutation({
  args: { station: v.string(), mhz: v.number() },
  returns: v.id("contacts"),
  handler: guarded(
    "operator",
    (ctx: MutationCtx, { station, mhz }: { station: string; mhz: number }, { _id: by }) =>
      ctx.db.insert("contacts", { station, mhz, by }),
  ),
});

export const strike = mutation({
  args: { contact: v.id("contacts") },
  returns: v.null(),
  handler: guarded(
    "operator",
    async (ctx: MutationCtx, { contact: id }: { contact: Id<"contacts"> }, member) => {
      const contact = (await ctx.db.get(id)) ?? refuse("not_found");
      const allowed = member.role === "steward" || contact.by === member._id;
      if (!allowed) refuse("forbidden", { needs: "steward" });
      await ctx.db.delete(contact._id);
      return null;
    },
  ),
});

export const appoint = mutation({
  args: { member: v.id("members"), role },
  returns: v.null(),
  handler: guarded(
    "steward",
    async (
      ctx: MutationCtx,
      args: { member: Id<"members">; role: Doc<"members">["role"] },
      caller,
    ) => {
      const member = (await ctx.db.get(args.member)) ?? refuse("not_found");
      if (member._id === caller._id && args.role !== "steward") refuse("last_steward");
      await ctx.db.patch(member._id, { role: args.role });
      return null;
    },
  ),
});
