// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useState } from "react";

import type { Id } from "../convex/_generated/dataModel";
import { Heading } from "./Heading";
import { TalkForm } from "./talks/TalkForm";
import { TalkList } from "./talks/TalkList";
import { useDrafts } from "./talks/useDrafts";
import { Watcher } from "./talks/Watcher";

/** The page of a conference's programme committee. */
export default function App({ conference }: { conference: Id<"conferences"> }) {
  const [open, setOpen] = useState<Id<"talks"> | null>(null);
  const { drafts, talks } = useDrafts();

  const watched = new Set<Id<"talks">>();
  const unsaved = new Set<Id<"talks">>();
  for (const [id, talk] of talks) {
    if (talk?.isPending) watched.add(id);
    if (talk?.isUnsaved) unsaved.add(id);
  }
  if (open !== null) watched.add(open);

  return (
    <main>
      <Heading conference={conference} />
      <TalkList conference={conference} unsaved={unsaved} onOpen={setOpen} />
      {open !== null && (
        <TalkForm
          key={open}
          id={open}
          talk={talks.get(open)}
          drafts={drafts}
          onClose={() => setOpen(null)}
        />
      )}
      {[...watched].map((id) => (
        <Watcher key={id} id={id} drafts={drafts} />
      ))}
    </main>
  );
}
