// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc, Id, TableNames } from "./_generated/dataModel";
import { query, type QueryCtx } from "./_generated/server";

async function load<Table extends TableNames>(
  ctx: QueryCtx,
  ids: Iterable<Id<Table> | null | undefined>,
): Promise<Map<Id<Table>, Doc<Table>>> {
  const found = new Map<Id<Table>, Doc<Table>>();
  for (const id of new Set(ids)) {
    const document = id ? await ctx.db.get(id) : null;
    if (id && document) found.set(id, document);
  }
  return found;
}

async function registered(ctx: QueryCtx, numbers: string[]) {
  const ships = new Map<string, Doc<"ships">>();
  for (const imo of new Set(numbers)) {
    const ship = await ctx.db
      .query("ships")
      .withIndex("by_imo", (q) => q.eq("imo", imo))
      .first();
    if (ship !== null) ships.set(imo, ship);
  }
  return ships;
}

export const arrivals = query({
  args: { harbour: v.string(), from: v.number(), limit: v.optional(v.number()) },
  handler: async (ctx, args) => {
    const calls = await ctx.db
      .query("calls")
      .withIndex("by_harbour_and_dueAt", (q) =>
        q.eq("harbour", args.harbour).gte("dueAt", args.from),
      )
      .take(Math.min(args.limit ?? 10, 50));
    const ships = await registered(
      ctx,
      calls.map((call) => call.imo),
    );
    const owners = await load<"owners">(
      ctx,
      [...ships.values()].map((ship) => ship.owner),
    );
    const agents = await load<"agents">(
      ctx,
      [...owners.values()].map((owner) => owner.agent),
    );

    function shownAgent(id: Id<"agents"> | null) {
      const agent = id === null ? undefined : agents.get(id);
      return agent === undefined ? null : { name: agent.name, phone: agent.phone };
    }
    function shownOwner(id: Id<"owners"> | undefined) {
      const owner = id === undefined ? undefined : owners.get(id);
      return owner === undefined ? null : { name: owner.name, agent: shownAgent(owner.agent) };
    }
    return calls.map(({ _id, dueAt, imo }) => {
      const ship = ships.get(imo);
      const shown = ship === undefined ? null : { name: ship.name, owner: shownOwner(ship.owner) };
      return { _id, dueAt, imo, ship: shown };
    });
  },
});
