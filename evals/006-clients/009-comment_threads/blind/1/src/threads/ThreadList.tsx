// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";
import { useEffect, useState } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { Thread } from "./Thread";
import { useMargin } from "./useMargin";

interface Props {
  document: Id<"documents">;
  me: string;
}

/** The open threads, and below them the resolved ones. */
export function ThreadList({ document, me }: Props) {
  const threads = useQuery(api.threads.list, { document });
  const margin = useMargin(me);
  // All threads that were ever listed, as they were last.
  const [seen, setSeen] = useState<ReadonlyMap<Id<"threads">, Doc<"threads">>>(new Map());
  useEffect(() => {
    if (threads === undefined) return;
    setSeen((before) => {
      const after = new Map(before);
      for (const thread of threads) after.set(thread._id, thread);
      return after;
    });
  }, [threads]);
  if (threads === undefined) return <p>Loading threads</p>;

  const present = new Set(threads.map(({ _id }) => _id));
  const kept = [...seen.values()].filter(
    (thread) =>
      thread.document === document && !present.has(thread._id) && margin.isNeeded(thread._id),
  );
  const shown = [...threads, ...kept].sort((a, b) => b.lastAt - a.lastAt);
  const show = (thread: Doc<"threads">) => (
    <Thread
      key={thread._id}
      thread={thread}
      me={me}
      isDeleted={!present.has(thread._id)}
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
