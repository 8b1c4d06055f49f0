// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

export async function getShift(ctx: QueryCtx, id: Id<"shifts">): Promise<Doc<"shifts">> {
  const shift = await ctx.db.get("shifts", id);
  if (shift === null) throw new ConvexError("no such shift");
  return shift;
}

/** A shift as rotas show it. Names of other clinics' members are not shown. */
export async function showShift(ctx: QueryCtx, shift: Doc<"shifts">) {
  const { _id, clinic, member, day, hours, note, reminded } = shift;
  const worker = await ctx.db.get("members", member);
  const name = worker?.clinic === clinic ? worker.name : "nobody";
  return { _id, member, name, day, hours, note, reminded };
}
