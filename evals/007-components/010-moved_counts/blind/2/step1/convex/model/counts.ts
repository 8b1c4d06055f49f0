// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ShardedCounter } from "@convex-dev/sharded-counter";
import { components } from "../_generated/api";
import type { Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

/**
 * Counts in our table `counts`, under names. Each is spread over several documents, so that people
 * who count the same do not wait for each other.
 *
 * While the counts are moved, a number is the sum of what the component still has and of what is
 * in our table. Nothing is added in the component any more; what is in our table alone may be
 * below zero until the rest has come.
 */
class Counter {
  private readonly prefix: string;
  private readonly shards: number;
  private readonly old: ShardedCounter<string>;

  constructor(prefix: string, shards: number, old: ShardedCounter<string>) {
    this.prefix = prefix;
    this.shards = shards;
    this.old = old;
  }

  async count(ctx: QueryCtx, name: string): Promise<number> {
    let sum = await this.old.count(ctx, name);
    for (const { count } of await this.rows(ctx, name)) sum += count;
    return sum;
  }

  async add(ctx: MutationCtx, name: string, count: number): Promise<void> {
    if (count === 0) return;
    const key = this.prefix + name;
    const shard = Math.floor(Math.random() * this.shards);
    const row = await ctx.db
      .query("counts")
      .withIndex("by_name_and_shard", (q) => q.eq("name", key).eq("shard", shard))
      .unique();
    if (row === null) await ctx.db.insert("counts", { name: key, shard, count });
    else await ctx.db.patch("counts", row._id, { count: row.count + count });
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

  async reset(ctx: MutationCtx, name: string): Promise<void> {
    for (const { _id } of await this.rows(ctx, name)) await ctx.db.delete("counts", _id);
    await this.old.reset(ctx, name);
  }

  /** Takes over what the component has. To do it twice does no harm. */
  async move(ctx: MutationCtx, name: string): Promise<void> {
    const count = await this.old.count(ctx, name);
    if (count === 0) return;
    await this.add(ctx, name, count);
    await this.old.reset(ctx, name);
  }

  private async rows(ctx: QueryCtx, name: string) {
    return await ctx.db
      .query("counts")
      .withIndex("by_name_and_shard", (q) => q.eq("name", this.prefix + name))
      .collect();
  }
}

/*
 * What is counted, and under which key:
 *
 * - the votes for an idea, by the idea's id. Votes that came from our old forum have no document
 *   (staff/forum.ts);
 * - the votes on a board, by "board/" and the board's id: those for all its ideas that are not removed;
 * - the votes that a member has given, by "member/" and the member's id: for ideas that still exist,
 *   removed or not.
 *
 * The views of ideas are counted apart, by the idea's id, too: in our table behind "views/".
 */
export const votes = new Counter(
  "",
  4,
  new ShardedCounter<string>(components.shardedCounter, { defaultShards: 4 }),
);
export const views = new Counter("views/", 16, new ShardedCounter<string>(components.views));

export const boardKey = (board: Id<"boards">): string => `board/${board}`;
export const memberKey = (member: Id<"members">): string => `member/${member}`;
