// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { components } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

/*
 * What is counted, and under which key:
 *
 * - the votes for an idea, by the idea's id. Votes that came from our old forum have no document
 *   (staff/forum.ts);
 * - the votes on a board, by "board/" and the board's id: those for all its ideas that are not removed;
 * - the votes that a member has given, by "member/" and the member's id: for ideas that still exist,
 *   removed or not;
 * - the views of an idea, by "views/" and the idea's id.
 *
 * A count that has a document in the table `counts` is there. The others still are in the component,
 * until they are changed, or moved by moving.ts. When all were moved, what has no document is zero.
 */

type Source = typeof components.shardedCounter;

class Counter {
  constructor(
    private readonly source: Source,
    private readonly prefix: string,
  ) {}

  async count(ctx: QueryCtx, name: string): Promise<number> {
    const moved = await this.find(ctx, name);
    return moved === null ? await this.countSource(ctx, name) : moved.value;
  }

  async add(ctx: MutationCtx, name: string, by: number): Promise<void> {
    const moved = await this.find(ctx, name);
    if (moved !== null) {
      await ctx.db.patch("counts", moved._id, { value: moved.value + by });
      return;
    }
    const value = (await this.countSource(ctx, name)) + by;
    await ctx.db.insert("counts", { key: this.prefix + name, value });
  }

  async subtract(ctx: MutationCtx, name: string, by: number): Promise<void> {
    await this.add(ctx, name, -by);
  }

  async inc(ctx: MutationCtx, name: string): Promise<void> {
    await this.add(ctx, name, 1);
  }

  async dec(ctx: MutationCtx, name: string): Promise<void> {
    await this.add(ctx, name, -1);
  }

  async reset(ctx: MutationCtx, name: string): Promise<void> {
    const moved = await this.find(ctx, name);
    if (moved !== null) await ctx.db.delete("counts", moved._id);
    if (!(await areAllMoved(ctx))) await ctx.runMutation(this.source.public.reset, { name });
  }

  /** Moves a count out of the component, unless it was moved before. */
  async move(ctx: MutationCtx, name: string): Promise<void> {
    if ((await this.find(ctx, name)) !== null) return;
    const value = await this.countSource(ctx, name);
    await ctx.db.insert("counts", { key: this.prefix + name, value });
  }

  private async find(ctx: QueryCtx, name: string): Promise<Doc<"counts"> | null> {
    return await ctx.db
      .query("counts")
      .withIndex("by_key", (q) => q.eq("key", this.prefix + name))
      .unique();
  }

  private async countSource(ctx: QueryCtx, name: string): Promise<number> {
    if (await areAllMoved(ctx)) return 0;
    const value: number = await ctx.runQuery(this.source.public.count, { name });
    return value;
  }
}

export async function areAllMoved(ctx: QueryCtx): Promise<boolean> {
  const done = await ctx.db
    .query("moving")
    .withIndex("by_kind", (q) => q.eq("kind", "done"))
    .first();
  return done !== null;
}

export const votes = new Counter(components.shardedCounter, "");
export const views = new Counter(components.views, "views/");

export const boardKey = (board: Id<"boards">): string => `board/${board}`;
export const memberKey = (member: Id<"members">): string => `member/${member}`;
