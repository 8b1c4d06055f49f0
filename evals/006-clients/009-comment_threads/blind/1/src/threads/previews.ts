// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionArgs } from "convex/server";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";

/* Each changes the loaded queries as the server will, once it has carried out the mutation. */

export function previewEdit(
  store: OptimisticLocalStore,
  { comment, text }: FunctionArgs<typeof api.comments.edit>,
): void {
  for (const { args, value } of store.getAllQueries(api.comments.list)) {
    if (!value?.some(({ _id }) => _id === comment)) continue;
    const comments = value.map((each) =>
      each._id === comment ? { ...each, text, isEdited: true } : each,
    );
    store.setQuery(api.comments.list, args, comments);
  }
}

export function previewRemoveComment(
  store: OptimisticLocalStore,
  { comment }: FunctionArgs<typeof api.comments.remove>,
): void {
  for (const { args, value } of store.getAllQueries(api.comments.list)) {
    if (!value?.some(({ _id }) => _id === comment)) continue;
    const comments = value.filter(({ _id }) => _id !== comment);
    store.setQuery(api.comments.list, args, comments);
    // A thread is deleted with its last comment.
    changeThread(store, args.thread, (thread) =>
      thread.size === 1 ? null : { ...thread, size: thread.size - 1 },
    );
  }
}

export function previewResolve(
  store: OptimisticLocalStore,
  { thread, isResolved }: FunctionArgs<typeof api.threads.resolve>,
): void {
  changeThread(store, thread, (before) => ({ ...before, isResolved }));
}

export function previewRemoveThread(
  store: OptimisticLocalStore,
  { thread }: FunctionArgs<typeof api.threads.remove>,
): void {
  changeThread(store, thread, () => null);
}

/** Changes or, with null, deletes a thread, also in the numbers above its document. */
function changeThread(
  store: OptimisticLocalStore,
  id: Id<"threads">,
  change: (thread: Doc<"threads">) => Doc<"threads"> | null,
): void {
  for (const { args, value } of store.getAllQueries(api.threads.list)) {
    const before = value?.find(({ _id }) => _id === id);
    if (value === undefined || before === undefined) continue;
    const after = change(before);
    store.setQuery(
      api.threads.list,
      args,
      value.flatMap((thread) => (thread._id !== id ? [thread] : after === null ? [] : [after])),
    );
    const summary = store.getQuery(api.documents.summary, { document: before.document });
    if (!summary) continue;
    const { open, resolved } = summary;
    const [openBefore, resolvedBefore] = countThread(before);
    const [openAfter, resolvedAfter] = countThread(after);
    store.setQuery(
      api.documents.summary,
      { document: before.document },
      {
        ...summary,
        open: open - openBefore + openAfter,
        resolved: resolved - resolvedBefore + resolvedAfter,
      },
    );
  }
}

function countThread(thread: Doc<"threads"> | null): [number, number] {
  if (thread === null) return [0, 0];
  return thread.isResolved ? [0, 1] : [1, 0];
}
