// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";

const agentShown = v.object({ name: v.string(), phone: v.string() });
const ownerShown = v.object({ name: v.string(), agent: v.nullable(agentShown) });
const shipShown = v.object({ name: v.string(), owner: v.nullable(ownerShown) });
const callShown = v.object({
  _id: v.id("calls"),
  dueAt: v.number(),
  imo: v.string(),
  ship: v.nullable(shipShown),
});

export const arrivals = query({
  args: { harbour: v.string(), from: v.number(), limit: v.optional(v.number()) },
  returns: v.array(callShown),
  handler: async ({ db }, { harbour, from, limit = 10 }) => {
    const board: (typeof callShown.type)[] = [];
    const due = db
      .query("calls")
      .withIndex("harbour", (q) => q.eq("harbour", harbour).gte("dueAt", from));
    for await (const call of due) {
      const row: typeof callShown.type = {
        _id: call._id,
        dueAt: call.dueAt,
        imo: call.imo,
        ship: null,
      };
      board.push(row);
      const [ship] = await db
        .query("ships")
        .withIndex("imo", (q) => q.eq("imo", call.imo))
        .collect();
      if (ship) {
        row.ship = { name: ship.name, owner: null };
        const owner = ship.owner === undefined ? null : await db.get("owners", ship.owner);
        if (owner) {
          row.ship.owner = { name: owner.name, agent: null };
          const agent = owner.agent === null ? null : await db.get("agents", owner.agent);
          if (agent) row.ship.owner.agent = { name: agent.name, phone: agent.phone };
        }
      }
      if (board.length === Math.min(limit, 50)) break;
    }
    return board;
  },
});
