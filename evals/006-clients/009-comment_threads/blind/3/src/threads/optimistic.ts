// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { OptimisticLocalStore } from "convex/browser";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";

/** Each shows what a mutation will do, in all loaded queries. */

export function showEdit(store: OptimisticLocalStore, { _id, thread }: Doc<"comments">, text: string) {
  const comments = store.getQuery(api.comments.list, { thread });
  if (comments === undefined) return;
  const edited = comments.map((one) => (one._id === _id ? { ...one, text, isEdited: true } : one));
  store.setQuery(api.comments.list, { thread }, edited);
}

/** The last comment takes its thread with it. */
export function showCommentRemoval(store: OptimisticLocalStore, { _id, thread }: Doc<"comments">) {
  const comments = store.getQuery(api.comments.list, { thread });
  if (comments === undefined || !comments.some((one) => one._id === _id)) return;
  const rest = comments.filter((one) => one._id !== _id);
  store.setQuery(api.comments.list, { thread }, rest);
  changeThread(store, thread, (one) => (one.size === 1 ? null : { ...one, size: one.size - 1 }));
}

export function showResolution(
  store: OptimisticLocalStore,
  thread: Id<"threads">,
  isResolved: boolean,
) {
  changeThread(store, thread, (one) => ({ ...one, isResolved }));
}

export function showThreadRemoval(store: OptimisticLocalStore, thread: Id<"threads">) {
  changeThread(store, thread, () => null);
}

function changeThread(
  store: OptimisticLocalStore,
  id: Id<"threads">,
  change: (thread: Doc<"threads">) => Doc<"threads"> | null,
) {
  for (const { args, value } of store.getAllQueries(api.threads.list)) {
    const before = value?.find((one) => one._id === id);
    if (value === undefined || before === undefined) continue;
    const after = change(before);
    store.setQuery(
      api.threads.list,
      args,
      value.flatMap((one) => (one._id !== id ? [one] : after === null ? [] : [after])),
    );
    const summary = store.getQuery(api.documents.summary, args);
    if (summary === undefined || summary === null) continue;
    const count = (thread: Doc<"threads"> | null, isResolved: boolean) =>
      thread !== null && thread.isResolved === isResolved ? 1 : 0;
    store.setQuery(api.documents.summary, args, {
      ...summary,
      open: summary.open - count(before, false) + count(after, false),
      resolved: summary.resolved - count(before, true) + count(after, true),
    });
  }
}
