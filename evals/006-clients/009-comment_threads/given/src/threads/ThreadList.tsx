// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";

import { api } from "../../convex/_generated/api";
import type { Id } from "../../convex/_generated/dataModel";
import { Thread } from "./Thread";

interface Props {
  document: Id<"documents">;
  me: string;
}

/** The open threads, and below them the resolved ones. */
export function ThreadList({ document, me }: Props) {
  const threads = useQuery(api.threads.list, { document });
  if (threads === undefined) return <p>Loading threads</p>;
  const open = threads.filter((thread) => !thread.isResolved);
  const resolved = threads.filter((thread) => thread.isResolved);
  return (
    <>
      <section id="open">
        <h2>Open</h2>
        {open.map((thread) => (
          <Thread key={thread._id} thread={thread} me={me} />
        ))}
      </section>
      <section id="resolved">
        <h2>Resolved</h2>
        {resolved.map((thread) => (
          <Thread key={thread._id} thread={thread} me={me} />
        ))}
      </section>
    </>
  );
}
