// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { monthOf } from "../lib/days";
import { addToMonth, addToProject } from "./totals";

/** Minutes that came to a project (or left it, if negative), for the figures that follow from them. */
export interface TimeChange {
  project: Doc<"projects">;
  member: Id<"members">;
  day: string;
  minutes: number;
  amount: number;
}

type Hook = (ctx: MutationCtx, change: TimeChange) => Promise<void>;

const countProject: Hook = (ctx, { project, minutes, amount }) =>
  addToProject(ctx, project._id, { minutes, unbilled: amount });

const countMonth: Hook = (ctx, { project, day, minutes }) =>
  addToMonth(ctx, project.client, monthOf(day), { minutes });

const countMember: Hook = async (ctx, { member: id, minutes }) => {
  const member = await ctx.db.get("members", id);
  if (member !== null) await ctx.db.patch("members", id, { minutes: member.minutes + minutes });
};

const countClient: Hook = async (ctx, { project, minutes }) => {
  const client = await ctx.db.get("clients", project.client);
  if (client === null) return;
  const stats = { ...client.stats, minutes: client.stats.minutes + minutes };
  await ctx.db.patch("clients", client._id, { stats });
};

/** The latest day stays when time is taken away: nobody asks for the day before it. */
const rememberDay: Hook = async (ctx, { project, day, minutes }) => {
  const client = await ctx.db.get("clients", project.client);
  if (client === null || minutes <= 0) return;
  if (client.stats.lastDay !== null && client.stats.lastDay >= day) return;
  await ctx.db.patch("clients", client._id, { stats: { ...client.stats, lastDay: day } });
};

const HOOKS = [countProject, countMonth, countMember, countClient, rememberDay];

/**
 * Called for each change of logged time, in the mutation that makes it. Changes are made one after the
 * other, and so are the hooks: each reads what the one before it has written.
 */
export async function timeChanged(ctx: MutationCtx, change: TimeChange): Promise<void> {
  for (const hook of HOOKS) await hook(ctx, change);
}
