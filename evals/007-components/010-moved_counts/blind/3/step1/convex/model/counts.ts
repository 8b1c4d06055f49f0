// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ShardedCounter } from "@convex-dev/sharded-counter";
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
 *   removed or not;
 * - the views of an idea, apart from the votes, by the idea's id.
 *
 * Counts move from the component to the table `counts`. Everything is added to the table only, and a
 * count is what the table and the component have together. So it is the same before it is moved and
 * after, and nothing gets into the component any more.
 */

/** Each count is spread over so many documents, lest those who change it get into each other's way. */
const SHARDS = 4;

class Counts {
  /** What the names in the table begin with. */
  readonly prefix: string;
  readonly former: ShardedCounter<string>;

  constructor(prefix: string, former: ShardedCounter<string>) {
    this.prefix = prefix;
    this.former = former;
  }

  async count(ctx: QueryCtx, key: string): Promise<number> {
    const rows = await this.rows(ctx, key);
    const former = await this.former.count(ctx, key);
    return rows.reduce((sum, { count }) => sum + count, former);
  }

  async add(ctx: MutationCtx, key: string, count: number): Promise<void> {
    if (count === 0) return;
    const name = this.prefix + key;
    const shard = Math.floor(Math.random() * SHARDS);
    const row = await ctx.db
      .query("counts")
      .withIndex("by_name_and_shard", (q) => q.eq("name", name).eq("shard", shard))
      .unique();
    if (row === null) await ctx.db.insert("counts", { name, shard, count });
    else await ctx.db.patch("counts", row._id, { count: row.count + count });
  }

  async subtract(ctx: MutationCtx, key: string, count: number): Promise<void> {
    await this.add(ctx, key, -count);
  }

  async inc(ctx: MutationCtx, key: string): Promise<void> {
    await this.add(ctx, key, 1);
  }

  async dec(ctx: MutationCtx, key: string): Promise<void> {
    await this.add(ctx, key, -1);
  }

  async reset(ctx: MutationCtx, key: string): Promise<void> {
    for (const { _id } of await this.rows(ctx, key)) await ctx.db.delete("counts", _id);
    await this.former.reset(ctx, key);
  }

  /** Moves what the component has of a count. To move twice does no harm. */
  async move(ctx: MutationCtx, key: string): Promise<void> {
    const count = await this.former.count(ctx, key);
    if (count === 0) return;
    await this.former.reset(ctx, key);
    await this.add(ctx, key, count);
  }

  private async rows(ctx: QueryCtx, key: string) {
    return await ctx.db
      .query("counts")
      .withIndex("by_name_and_shard", (q) => q.eq("name", this.prefix + key))
      .take(SHARDS);
  }
}

export const votes = new Counts("", new ShardedCounter<string>(components.shardedCounter));
export const views = new Counts("views/", new ShardedCounter<string>(components.views));

export const boardKey = (board: Id<"boards">): string => `board/${board}`;
export const memberKey = (member: Id<"members">): string => `member/${member}`;
