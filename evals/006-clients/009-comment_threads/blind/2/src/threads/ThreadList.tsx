// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQueries, useQuery } from "convex/react";
import { ConvexError } from "convex/values";
import { useMemo, useState } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { Thread } from "./Thread";
import { useMargin } from "./useMargin";

/** The most threads that are listed: see convex/threads.ts. */
const MOST_LISTED = 200;

interface Props {
  document: Id<"documents">;
  me: string;
}

/** The open threads, and below them the resolved ones. */
export function ThreadList({ document, me }: Props) {
  const threads = useQuery(api.threads.list, { document });
  const margin = useMargin(me);

  // The threads as they were listed last, for those that are not listed any more.
  const [known, setKnown] = useState<Record<string, Doc<"threads">>>({});
  const news = (threads ?? []).filter((thread) => !isSame(thread, known[thread._id]));
  if (news.length > 0) {
    setKnown({ ...known, ...Object.fromEntries(news.map((thread) => [thread._id, thread])) });
  }

  const isFull = (threads?.length ?? 0) >= MOST_LISTED;
  const listed = new Set((threads ?? []).map((thread) => thread._id));
  const left = Object.values(known).filter((thread) => {
    return thread.document === document && !listed.has(thread._id);
  });

  // They are read here, as a thread that moves between the sections is another element there. If
  // the list is full, then only this tells whether a thread was deleted.
  const asked = [...listed, ...(isFull ? left.map((thread) => thread._id) : [])].sort().join(" ");
  const queries = useMemo(() => {
    const ids = asked === "" ? [] : asked.split(" ");
    return Object.fromEntries(
      ids.map((id) => [id, { query: api.comments.list, args: { thread: id } }]),
    );
  }, [asked]);
  const answers: Record<string, Doc<"comments">[] | Error | undefined> = useQueries(queries);

  if (threads === undefined) return <p>Loading threads</p>;

  const commentsOf = (id: Id<"threads">) => {
    const answer = answers[id];
    if (!(answer instanceof Error)) return answer;
    if (answer instanceof ConvexError) return undefined;
    throw answer;
  };
  const isGone = (id: Id<"threads">) => {
    return !listed.has(id) && (!isFull || answers[id] instanceof Error);
  };
  const isHeld = ({ _id }: Doc<"threads">) => {
    const { draft, replies, isRemoved } = margin.threadState(_id);
    if (isRemoved) return false;
    if (draft.trim() !== "" || replies.length > 0) return true;
    const comments = isGone(_id) ? [] : (commentsOf(_id) ?? []);
    return comments.some((comment) => margin.commentState(comment._id).draft !== null);
  };

  const held = left.filter(isHeld);
  const shown =
    held.length === 0 ? threads : [...threads, ...held].sort((a, b) => b.lastAt - a.lastAt);
  const show = (thread: Doc<"threads">) => (
    <Thread
      key={thread._id}
      thread={thread}
      comments={commentsOf(thread._id)}
      isGone={isGone(thread._id)}
      me={me}
      margin={margin}
    />
  );
  return (
    <>
      <section id="open">
        <h2>Open</h2>
        {shown.filter((thread) => !thread.isResolved).map(show)}
      </section>
      <section id="resolved">
        <h2>Resolved</h2>
        {shown.filter((thread) => thread.isResolved).map(show)}
      </section>
    </>
  );
}

function isSame(one: Doc<"threads">, other: Doc<"threads"> | undefined): boolean {
  return (
    other !== undefined &&
    one.isResolved === other.isResolved &&
    one.size === other.size &&
    one.lastAt === other.lastAt
  );
}
