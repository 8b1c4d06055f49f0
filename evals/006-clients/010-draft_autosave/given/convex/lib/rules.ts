// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";

type Changes = Partial<Omit<Doc<"talks">, "_id" | "_creationTime" | "version">>;

/*
 * Only members of the programme committee reach this deployment. Refusals are errors whose data is
 * `{ code }`: "gone", "closed", "stale" or "long".
 */

export function refuse(code: string): never {
  throw new ConvexError({ code });
}

/** Returns a talk that may be changed. */
export async function changeableTalk(ctx: MutationCtx, id: Id<"talks">): Promise<Doc<"talks">> {
  const talk = await ctx.db.get("talks", id);
  if (talk === null) return refuse("gone");
  const conference = await ctx.db.get("conferences", talk.conference);
  if (conference === null || conference.isClosed) return refuse("closed");
  return talk;
}

/** Changes a talk; returns its new version. */
export async function changeTalk(ctx: MutationCtx, { _id, version }: Doc<"talks">, to: Changes) {
  await ctx.db.patch("talks", _id, { ...to, version: version + 1 });
  return version + 1;
}
