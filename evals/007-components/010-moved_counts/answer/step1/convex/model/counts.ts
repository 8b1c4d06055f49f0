// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { ShardedCounter } from "@convex-dev/sharded-counter";
import { components } from "../_generated/api";
import type { Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

/*
 * What is counted, and under which key:
 *
 * - the votes for an idea, by the idea's id. Votes that came from our old forum have no document
 *   (staff/forum.ts);
 * - the votes on a board, by "board/" and the board's id: those for all its ideas that are not removed;
 * - the votes that a member has given, by "member/" and the member's id: for ideas that still exist,
 *   removed or not.
 *
 * The views of ideas are counted apart, in rows whose key begins with "views/".
 */
type Component = ConstructorParameters<typeof ShardedCounter>[0];

/** A group of counts. Each is moved from the component to its row by its first change, or by `move`. */
class Counts {
  constructor(
    private readonly prefix: string,
    private readonly component: Component,
  ) {}

  async count(ctx: QueryCtx, name: string): Promise<number> {
    const row = await this.getRow(ctx, name);
    return row?.value ?? (await ctx.runQuery(this.component.public.count, { name }));
  }

  async add(ctx: MutationCtx, name: string, count: number): Promise<void> {
    const row = await this.getRow(ctx, name);
    if (row !== null) {
      await ctx.db.patch("tallies", row._id, { value: row.value + count });
      return;
    }
    const value = (await ctx.runQuery(this.component.public.count, { name })) + count;
    await ctx.db.insert("tallies", { key: this.prefix + name, value });
  }

  async subtract(ctx: MutationCtx, name: string, count: number): Promise<void> {
    await this.add(ctx, name, -count);
  }

  async inc(ctx: MutationCtx, name: string): Promise<void> {
    await this.add(ctx, name, 1);
  }

  async dec(ctx: MutationCtx, name: string): Promise<void> {
    await this.add(ctx, name, -1);
  }

  async move(ctx: MutationCtx, name: string): Promise<void> {
    await this.add(ctx, name, 0);
  }

  async reset(ctx: MutationCtx, name: string): Promise<void> {
    const row = await this.getRow(ctx, name);
    if (row !== null) await ctx.db.delete("tallies", row._id);
    await ctx.runMutation(this.component.public.reset, { name });
  }

  private async getRow(ctx: QueryCtx, name: string) {
    return await ctx.db
      .query("tallies")
      .withIndex("by_key", (q) => q.eq("key", this.prefix + name))
      .unique();
  }
}

export const votes = new Counts("", components.shardedCounter);
export const views = new Counts("views/", components.views);

export const boardKey = (board: Id<"boards">): string => `board/${board}`;
export const memberKey = (member: Id<"members">): string => `member/${member}`;
