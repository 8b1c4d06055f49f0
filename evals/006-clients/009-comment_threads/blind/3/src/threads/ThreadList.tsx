// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";
import { useState } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { NotesProvider, useNotes } from "./notes";
import { Thread } from "./Thread";

interface Props {
  document: Id<"documents">;
  me: string;
}

/** The open threads, and below them the resolved ones. */
export function ThreadList({ document, me }: Props) {
  return (
    <NotesProvider key={`${document} ${me}`}>
      <Sections document={document} me={me} />
    </NotesProvider>
  );
}

interface Shown {
  thread: Doc<"threads">;
  isDeleted: boolean;
}

function Sections({ document, me }: Props) {
  const threads = useQuery(api.threads.list, { document });
  const { ofThread } = useNotes();
  // The threads as they were seen last, also those that are gone.
  const [latest, setLatest] = useState<Doc<"threads">[] | undefined>(undefined);
  const [seen, setSeen] = useState<ReadonlyMap<Id<"threads">, Doc<"threads">>>(() => new Map());
  if (threads !== undefined && threads !== latest) {
    setLatest(threads);
    setSeen(new Map([...seen, ...threads.map((thread) => [thread._id, thread] as const)]));
  }
  if (threads === undefined) return <p>Loading threads</p>;

  const present = new Set(threads.map((thread) => thread._id));
  const shown: Shown[] = threads.map((thread) => ({ thread, isDeleted: false }));
  for (const thread of seen.values()) {
    if (present.has(thread._id)) continue;
    const { draft, replies, isRemoving } = ofThread(thread._id);
    if (isRemoving || (draft.trim() === "" && replies.length === 0)) continue;
    const index = shown.findIndex((one) => one.thread.lastAt < thread.lastAt);
    shown.splice(index === -1 ? shown.length : index, 0, { thread, isDeleted: true });
  }

  const show = ({ thread, isDeleted }: Shown) => (
    <Thread key={thread._id} thread={thread} me={me} isDeleted={isDeleted} />
  );
  return (
    <>
      <section id="open">
        <h2>Open</h2>
        {shown.filter(({ thread }) => !thread.isResolved).map(show)}
      </section>
      <section id="resolved">
        <h2>Resolved</h2>
        {shown.filter(({ thread }) => thread.isResolved).map(show)}
      </section>
    </>
  );
}
