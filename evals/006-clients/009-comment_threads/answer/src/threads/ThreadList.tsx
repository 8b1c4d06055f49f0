// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";
import { useEffect, useState } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { DeletedThread } from "./DeletedThread";
import { useMargin } from "./margin";
import { Thread } from "./Thread";

interface Props {
  document: Id<"documents">;
  me: string;
}

/** The open threads, and below them the resolved ones. */
export function ThreadList({ document, me }: Props) {
  const threads = useQuery(api.threads.list, { document });
  const deleted = useDeleted(threads);
  if (threads === undefined) return <p>Loading threads</p>;
  const section = (isResolved: boolean) => (
    <>
      {threads
        .filter((thread) => thread.isResolved === isResolved)
        .map((thread) => (
          <Thread key={thread._id} thread={thread} me={me} />
        ))}
      {deleted
        .filter((thread) => thread.isResolved === isResolved)
        .map((thread) => (
          <DeletedThread key={thread._id} thread={thread} />
        ))}
    </>
  );
  return (
    <>
      <section id="open">
        <h2>Open</h2>
        {section(false)}
      </section>
      <section id="resolved">
        <h2>Resolved</h2>
        {section(true)}
      </section>
    </>
  );
}

/** Returns the threads that others deleted, and in which something is left to lose. */
function useDeleted(threads: Doc<"threads">[] | undefined): Doc<"threads">[] {
  const { replies, unsent, ownDeletions } = useMargin();
  const [seen, setSeen] = useState<Record<Id<"threads">, Doc<"threads">>>({});
  useEffect(() => {
    if (threads === undefined) return;
    setSeen((all) => ({ ...all, ...Object.fromEntries(threads.map((one) => [one._id, one])) }));
  }, [threads]);
  return Object.values(seen).filter(({ _id: id }) => {
    if (threads?.some((thread) => thread._id === id) || ownDeletions[id]) return false;
    return Boolean(replies[id]) || unsent.some(({ thread }) => thread === id);
  });
}
