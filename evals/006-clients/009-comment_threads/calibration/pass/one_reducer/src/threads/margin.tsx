// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useAction, useConvex } from "convex/react";
import { createContext, useContext, useReducer, type ReactNode } from "react";

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

interface Margin {
  unsent: Unsent[];
  replies: ByThread<string>;
  edits: ByComment<string>;
  refusals: Record<string, string | undefined>;
  /** The threads that this page deletes or has deleted. */
  ownDeletions: ByThread<boolean>;
}

const EMPTY: Margin = { unsent: [], replies: {}, edits: {}, refusals: {}, ownDeletions: {} };

function change(margin: Margin, by: (margin: Margin) => Partial<Margin>): Margin {
  return { ...margin, ...by(margin) };
}

/** What the page knows and the backend does not, above the elements of threads and comments. */
function useMarginState({ me }: Omit<Props, "children">) {
  const client = useConvex();
  const post = useAction(api.posting.post);
  const [margin, update] = useReducer(change, EMPTY);

  const setReply = (thread: Id<"threads">, text: string) =>
    update(({ replies }) => ({ replies: { ...replies, [thread]: text } }));
  const setEdit = (comment: Id<"comments">, text: string | undefined) =>
    update(({ edits }) => ({ edits: { ...edits, [comment]: text } }));
  const dropUnsent = (keys: string[]) =>
    update(({ unsent }) => ({ unsent: unsent.filter(({ key }) => !keys.includes(key)) }));
  const putUnsent = (reply: Unsent) =>
    update(({ unsent }) => ({
      unsent: unsent.some(({ key }) => key === reply.key)
        ? unsent.map((one) => (one.key === reply.key ? reply : one))
        : [...unsent, reply],
    }));
  const setRefusal = (at: string, refusal: string | undefined) =>
    update(({ refusals }) => ({ refusals: { ...refusals, [at]: refusal } }));
  const setOwn = (thread: Id<"threads">, own: boolean) =>
    update(({ ownDeletions }) => ({ ownDeletions: { ...ownDeletions, [thread]: own } }));

  const trySending = (reply: Unsent) => {
    const { key, thread, text } = reply;
    putUnsent(reply);
    post({ thread, author: me, text, key })
      .then(() => client.query(api.comments.posted, { author: me, key }))
      .then(
        () => dropUnsent([key]),
        (error: unknown) =>
          update(({ unsent }) => ({
            unsent: unsent.map((one) =>
              one.key === key ? { ...one, reason: explain(error) } : one,
            ),
          })),
      );
  };

  const attempt = async (at: Id<"threads"> | Id<"comments">, done: Promise<null>) => {
    setRefusal(at, undefined);
    try {
      await done;
      return true;
    } catch (error) {
      setRefusal(at, explain(error));
      return false;
    }
  };

  return {
    ...margin,
    setReply,
    setEdit,
    dropUnsent,
    send: (thread: Id<"threads">) => {
      trySending({ key: crypto.randomUUID(), thread, text: margin.replies[thread] ?? "" });
      setReply(thread, "");
    },
    retry: ({ key, thread, text }: Unsent) => trySending({ key, thread, text }),
    save: async (comment: Id<"comments">, text: string) => {
      setEdit(comment, undefined);
      const done = client.mutation(
        api.comments.edit,
        { comment, me, text },
        { optimisticUpdate: showEdit },
      );
      if (await attempt(comment, done)) return;
      update(({ edits }) => ({ edits: { ...edits, [comment]: edits[comment] ?? text } }));
    },
    remove: async (comment: Id<"comments">, { _id, size }: Doc<"threads">) => {
      if (size === 1) setOwn(_id, true);
      const done = client.mutation(
        api.comments.remove,
        { comment, me },
        { optimisticUpdate: showRemovedComment },
      );
      if (!(await attempt(comment, done))) setOwn(_id, false);
    },
    resolve: (thread: Id<"threads">, isResolved: boolean) =>
      attempt(
        thread,
        client.mutation(
          api.threads.resolve,
          { thread, isResolved },
          { optimisticUpdate: showResolved },
        ),
      ),
    removeThread: async (thread: Id<"threads">) => {
      setOwn(thread, true);
      const done = client.mutation(
        api.threads.remove,
        { thread, me },
        { optimisticUpdate: showRemovedThread },
      );
      if (!(await attempt(thread, done))) setOwn(thread, false);
    },
  };
}

const MarginContext = createContext<ReturnType<typeof useMarginState> | null>(null);

export function MarginProvider({ children, ...props }: Props) {
  return <MarginContext.Provider value={useMarginState(props)}>{children}</MarginContext.Provider>;
}

export function useMargin() {
  const margin = useContext(MarginContext);
  if (margin === null) throw new Error("not inside of a MarginProvider");
  return margin;
}
