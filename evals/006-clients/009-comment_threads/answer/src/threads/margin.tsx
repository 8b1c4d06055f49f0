// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useAction, useConvex, useMutation } from "convex/react";
import { createContext, useContext, useState, type ReactNode } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { explain } from "./refusals";
import { showEdit, showRemovedComment, showRemovedThread, showResolved } from "./updates";

/** A reply from the click on "Send" until its comment is in the thread. */
export interface Unsent {
  key: string;
  thread: Id<"threads">;
  text: string;
  /** Absent while it is being sent. */
  reason?: string;
}

type ByThread<T> = Record<Id<"threads">, T | undefined>;
type ByComment<T> = Record<Id<"comments">, T | undefined>;

interface Props {
  document: Id<"documents">;
  me: string;
  children: ReactNode;
}

/**
 * What the page knows and the backend does not. It is kept above all threads, because their elements
 * come and go: a thread changes its section, and what is shown at once may be undone.
 */
function useMarginState({ document, me }: Omit<Props, "children">) {
  const convex = useConvex();
  const post = useAction(api.posting.post);
  const edit = useMutation(api.comments.edit).withOptimisticUpdate(showEdit);
  const remove = useMutation(api.comments.remove).withOptimisticUpdate(showRemovedComment);
  const resolve = useMutation(api.threads.resolve).withOptimisticUpdate(showResolved);
  const removeThread = useMutation(api.threads.remove).withOptimisticUpdate(showRemovedThread);

  const [unsent, setUnsent] = useState<Unsent[]>([]);
  const [replies, setReplies] = useState<ByThread<string>>({});
  const [edits, setEdits] = useState<ByComment<string>>({});
  const [refusals, setRefusals] = useState<Record<string, string | undefined>>({});
  const [ownDeletions, setOwnDeletions] = useState<ByThread<boolean>>({});

  const setReply = (thread: Id<"threads">, text: string) =>
    setReplies((all) => ({ ...all, [thread]: text }));
  const setEdit = (comment: Id<"comments">, text: string | undefined) =>
    setEdits((all) => ({ ...all, [comment]: text }));
  const dropUnsent = (keys: string[]) =>
    setUnsent((all) => all.filter(({ key }) => !keys.includes(key)));
  const setOwnDeletion = (thread: Id<"threads">, is: boolean) =>
    setOwnDeletions((all) => ({ ...all, [thread]: is }));

  /** Returns whether a change was carried out; a refusal stands at the comment or thread. */
  const attempt = async (at: Id<"threads"> | Id<"comments">, change: Promise<null>) => {
    setRefusals((all) => ({ ...all, [at]: undefined }));
    const refusal = await change.then(() => undefined, explain);
    setRefusals((all) => ({ ...all, [at]: refusal }));
    return refusal === undefined;
  };

  const trySending = async ({ key, thread, text }: Unsent) => {
    try {
      await post({ thread, author: me, text, key });
      // With the answer to a new query all others are as current, so the comment is in its thread.
      await convex.query(api.comments.posted, { author: me, key });
      dropUnsent([key]);
    } catch (error) {
      const reason = explain(error);
      setUnsent((all) => all.map((one) => (one.key === key ? { ...one, reason } : one)));
    }
  };

  /** Waits for a deletion that takes the thread with it, if it is not refused. */
  const followDeletion = async (thread: Id<"threads">, done: Promise<boolean>) => {
    setOwnDeletion(thread, true);
    await done;
    const left = convex.watchQuery(api.threads.list, { document }).localQueryResult();
    if (left?.some(({ _id }) => _id === thread)) {
      setOwnDeletion(thread, false);
    } else {
      setReply(thread, "");
      setUnsent((all) => all.filter((one) => one.thread !== thread));
    }
  };

  return {
    unsent,
    replies,
    edits,
    refusals,
    ownDeletions,
    setReply,
    setEdit,
    dropUnsent,
    send: (thread: Id<"threads">) => {
      const reply = { key: crypto.randomUUID(), thread, text: replies[thread] ?? "" };
      setReply(thread, "");
      setUnsent((all) => [...all, reply]);
      void trySending(reply);
    },
    retry: ({ key, thread, text }: Unsent) => {
      const reply = { key, thread, text };
      setUnsent((all) => all.map((one) => (one.key === key ? reply : one)));
      void trySending(reply);
    },
    save: async (comment: Id<"comments">, text: string) => {
      setEdit(comment, undefined);
      if (await attempt(comment, edit({ comment, me, text }))) return;
      setEdits((all) => ({ ...all, [comment]: all[comment] ?? text }));
    },
    remove: (comment: Id<"comments">, { _id, size }: Doc<"threads">) => {
      const done = attempt(comment, remove({ comment, me }));
      if (size === 1) void followDeletion(_id, done);
    },
    resolve: (thread: Id<"threads">, isResolved: boolean) =>
      attempt(thread, resolve({ thread, isResolved })),
    removeThread: (thread: Id<"threads">) =>
      followDeletion(thread, attempt(thread, removeThread({ thread, me }))),
  };
}

const Margin = createContext<ReturnType<typeof useMarginState> | null>(null);

export function MarginProvider({ children, ...props }: Props) {
  return <Margin.Provider value={useMarginState(props)}>{children}</Margin.Provider>;
}

export function useMargin() {
  const margin = useContext(Margin);
  if (margin === null) throw new Error("not inside of a MarginProvider");
  return margin;
}
