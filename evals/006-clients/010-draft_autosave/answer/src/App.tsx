// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useState } from "react";

import type { Id } from "../convex/_generated/dataModel";
import { Heading } from "./Heading";
import { DraftsProvider } from "./talks/DraftsProvider";
import { TalkForm } from "./talks/TalkForm";
import { TalkList } from "./talks/TalkList";

/** The page of a conference's programme committee. */
export default function App({ conference }: { conference: Id<"conferences"> }) {
  const [open, setOpen] = useState<Id<"talks"> | null>(null);
  return (
    <main>
      <Heading conference={conference} />
      <DraftsProvider>
        <TalkList conference={conference} onOpen={setOpen} />
        {open !== null && <TalkForm key={open} id={open} onClose={() => setOpen(null)} />}
      </DraftsProvider>
    </main>
  );
}
