// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useState } from "react";

import type { Id } from "../convex/_generated/dataModel";
import { Heading } from "./Heading";
import { TalkForm } from "./talks/TalkForm";
import { TalkList } from "./talks/TalkList";
import { TalkWatcher } from "./talks/TalkWatcher";
import { useDrafts } from "./talks/useDrafts";

/** The page of a conference's programme committee. */
export default function App({ conference }: { conference: Id<"conferences"> }) {
  const [open, setOpen] = useState<Id<"talks"> | null>(null);
  const { drafts, views } = useDrafts();
  const watched = [...views].filter(([, { isWatched }]) => isWatched);
  return (
    <main>
      <Heading conference={conference} />
      <TalkList conference={conference} views={views} onOpen={setOpen} />
      {open !== null && (
        <TalkForm
          key={open}
          id={open}
          drafts={drafts}
          view={views.get(open)}
          onClose={() => setOpen(null)}
        />
      )}
      {watched.map(([id]) => (
        <TalkWatcher key={id} id={id} drafts={drafts} />
      ))}
    </main>
  );
}
