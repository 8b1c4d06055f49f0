// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/** Where a row stands in the inbox. Of these only `pinned` and `at` ever change while it is listed. */
export type Key = {
  pinned: boolean;
  at: number;
  /** The number of the channel: emails, chats, calls. */
  channel: number;
  /** What calls of one `at` are ordered by first: when they ended. Of others 0. */
  second: number;
  created: number;
  id: string;
};

/** Pinned ones first, then the newest; equal ones in an order that stays. */
export function compareKeys(a: Key, b: Key): number {
  return (
    Number(b.pinned) - Number(a.pinned) ||
    b.at - a.at ||
    a.channel - b.channel ||
    b.second - a.second ||
    b.created - a.created ||
    (a.id === b.id ? 0 : a.id > b.id ? -1 : 1)
  );
}
