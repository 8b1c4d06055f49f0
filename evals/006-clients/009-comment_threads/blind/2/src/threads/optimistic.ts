// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { OptimisticLocalStore } from "convex/browser";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";

/* What the queries of the page will answer once a change has been carried out. */

export function showEdit(
  store: OptimisticLocalStore,
  { comment: id, text }: { comment: Id<"comments">; text: string },
) {
  for (const { args, value } of store.getAllQueries(api.comments.list)) {
    if (value?.some((comment) => comment._id === id)) {
      const edited = value.map((comment) =>
        comment._id === id ? { ...comment, text, isEdited: true } : comment,
      );
      store.setQuery(api.comments.list, args, edited);
    }
  }
}

export function showRemovedComment(
  store: OptimisticLocalStore,
  { comment: id }: { comment: Id<"comments"> },
) {
  for (const { args, value } of store.getAllQueries(api.comments.list)) {
    if (value?.some((comment) => comment._id === id)) {
      const left = value.filter((comment) => comment._id !== id);
      store.setQuery(api.comments.list, args, left);
      changeThread(store, args.thread, (thread) =>
        thread.size === 1 ? null : { ...thread, size: thread.size - 1 },
      );
    }
  }
}

export function showResolved(
  store: OptimisticLocalStore,
  { thread: id, isResolved }: { thread: Id<"threads">; isResolved: boolean },
) {
  changeThread(store, id, (thread) => ({ ...thread, isResolved }));
}

export function showRemovedThread(
  store: OptimisticLocalStore,
  { thread: id }: { thread: Id<"threads"> },
) {
  changeThread(store, id, () => null);
}

/** Changes a thread, or takes it away, and counts it anew in the summary. */
function changeThread(
  store: OptimisticLocalStore,
  id: Id<"threads">,
  change: (thread: Doc<"threads">) => Doc<"threads"> | null,
) {
  for (const { args, value } of store.getAllQueries(api.threads.list)) {
    const thread = value?.find((one) => one._id === id);
    if (value === undefined || thread === undefined) continue;
    const changed = change(thread);
    const threads = value.flatMap((one) => {
      if (one._id !== id) return [one];
      return changed === null ? [] : [changed];
    });
    store.setQuery(api.threads.list, args, threads);
    count(store, thread, -1);
    if (changed !== null) count(store, changed, 1);
  }
}

function count(store: OptimisticLocalStore, thread: Doc<"threads">, by: number) {
  const args = { document: thread.document };
  const summary = store.getQuery(api.documents.summary, args);
  if (summary === undefined || summary === null) return;
  store.setQuery(api.documents.summary, args, {
    ...summary,
    open: summary.open + (thread.isResolved ? 0 : by),
    resolved: summary.resolved + (thread.isResolved ? by : 0),
  });
}
