// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

/** Reading fails for nothing that is in a file, but where it always does others must not wait. */
const MAX_TRIES = 5;

/** `null` for a statement that the script booked. */
export async function getRun(
  ctx: QueryCtx,
  statement: Id<"statements">,
): Promise<Doc<"runs"> | null> {
  if ((await ctx.db.get("statements", statement)) === null) throw new ConvexError("not_found");
  return await findRun(ctx, statement);
}

export async function findRun(
  ctx: QueryCtx,
  statement: Id<"statements">,
): Promise<Doc<"runs"> | null> {
  return await ctx.db
    .query("runs")
    .withIndex("by_statement", (q) => q.eq("statement", statement))
    .unique();
}

/** Of the statement that is to be booked first. */
export async function currentRun(ctx: QueryCtx): Promise<Doc<"runs"> | null> {
  const reading = await ctx.db
    .query("runs")
    .withIndex("by_state", (q) => q.eq("state", "reading"))
    .first();
  const booking = await ctx.db
    .query("runs")
    .withIndex("by_state", (q) => q.eq("state", "booking"))
    .first();
  if (reading === null) return booking;
  if (booking === null) return reading;
  return reading._creationTime < booking._creationTime ? reading : booking;
}

export async function startRun(
  ctx: MutationCtx,
  statement: Id<"statements">,
  file: Id<"_storage">,
): Promise<void> {
  const job = await ctx.scheduler.runAfter(0, internal.reading.read, { statement, file });
  await ctx.db.insert("runs", {
    statement,
    file,
    state: "reading",
    job,
    tries: 1,
    stored: 0,
    booked: 0,
    fresh: 0,
    total: "0",
  });
}

/** Ends a run before all is booked. */
export async function endRun(
  ctx: MutationCtx,
  run: Doc<"runs">,
  state: "cancelled" | "refused",
): Promise<void> {
  await ctx.db.patch("runs", run._id, { state });
  await ctx.scheduler.runAfter(0, internal.reading.clear, { statement: run.statement });
}

/** Actions are not retried: begins anew if the one that reads the file was lost. */
export async function watchReading(ctx: MutationCtx, run: Doc<"runs">): Promise<void> {
  const job = await ctx.db.system.get("_scheduled_functions", run.job);
  const kind = job?.state.kind;
  if (kind === "pending" || kind === "inProgress") return;
  if (run.tries >= MAX_TRIES) {
    await endRun(ctx, run, "refused");
    return;
  }
  const { statement, file } = run;
  const again = await ctx.scheduler.runAfter(0, internal.reading.read, { statement, file });
  await ctx.db.patch("runs", run._id, { job: again, tries: run.tries + 1 });
}
