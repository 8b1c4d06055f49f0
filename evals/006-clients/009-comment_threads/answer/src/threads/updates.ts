// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionArgs } from "convex/server";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";

/** Shows an edited text. */
export function showEdit(
  store: OptimisticLocalStore,
  { comment: id, text }: FunctionArgs<typeof api.comments.edit>,
) {
  for (const { args, value } of store.getAllQueries(api.comments.list)) {
    if (!value?.some((comment) => comment._id === id)) continue;
    const edited = value.map((comment) =>
      comment._id === id ? { ...comment, text, isEdited: true } : comment,
    );
    store.setQuery(api.comments.list, args, edited);
  }
}

/** Shows a thread without a comment. The thread goes with its last one. */
export function showRemovedComment(
  store: OptimisticLocalStore,
  { comment: id }: FunctionArgs<typeof api.comments.remove>,
) {
  for (const { args, value } of store.getAllQueries(api.comments.list)) {
    if (!value?.some((comment) => comment._id === id)) continue;
    const left = value.filter((comment) => comment._id !== id);
    store.setQuery(api.comments.list, args, left);
    changeThread(store, args.thread, (thread) =>
      thread.size === 1 ? null : { ...thread, size: thread.size - 1 },
    );
  }
}

/** Shows a thread as resolved or open. */
export function showResolved(
  store: OptimisticLocalStore,
  { thread: id, isResolved }: FunctionArgs<typeof api.threads.resolve>,
) {
  changeThread(store, id, (thread) => ({ ...thread, isResolved }));
}

/** Shows the document without a thread. */
export function showRemovedThread(
  store: OptimisticLocalStore,
  { thread }: FunctionArgs<typeof api.threads.remove>,
) {
  changeThread(store, thread, () => null);
}

/** Changes or removes a thread in the list, and counts it anew in the summary. */
function changeThread(
  store: OptimisticLocalStore,
  id: Id<"threads">,
  change: (thread: Doc<"threads">) => Doc<"threads"> | null,
) {
  for (const { args, value } of store.getAllQueries(api.threads.list)) {
    const before = value?.find((thread) => thread._id === id);
    if (value === undefined || before === undefined) continue;
    const after = change(before);
    store.setQuery(
      api.threads.list,
      args,
      value.flatMap((thread) => (thread._id === id ? (after ?? []) : thread)),
    );
    const summary = store.getQuery(api.documents.summary, args);
    if (!summary) continue;
    const gained = (isResolved: boolean) =>
      Number(after?.isResolved === isResolved) - Number(before.isResolved === isResolved);
    store.setQuery(api.documents.summary, args, {
      ...summary,
      open: summary.open + gained(false),
      resolved: summary.resolved + gained(true),
    });
  }
}
