// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ShardedCounter } from "@convex-dev/sharded-counter";
import { components } from "../_generated/api";
import type { Id } from "../_generated/dataModel";

/*
 * What is counted, and under which key:
 *
 * - the votes for an idea, by the idea's id. Votes that came from our old forum have no document
 *   (staff/forum.ts);
 * - the votes on a board, by "board/" and the board's id: those for all its ideas that are not removed;
 * - the votes that a member has given, by "member/" and the member's id: for ideas that still exist,
 *   removed or not.
 *
 * The views of ideas are counted apart (views.ts).
 */
export const votes = new ShardedCounter<string>(components.shardedCounter, { defaultShards: 4 });

export const boardKey = (board: Id<"boards">): string => `board/${board}`;
export const memberKey = (member: Id<"members">): string => `member/${member}`;
