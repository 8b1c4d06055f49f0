// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation } from "convex/react";
import { useState } from "react";

import { api } from "../convex/_generated/api";
import type { Id } from "../convex/_generated/dataModel";
import { Heading } from "./Heading";
import { Drafts } from "./talks/drafts";
import { TalkForm } from "./talks/TalkForm";
import { TalkList } from "./talks/TalkList";
import { UnsavedTalks } from "./talks/UnsavedTalks";

/** The page of a conference's programme committee. */
export default function App({ conference }: { conference: Id<"conferences"> }) {
  const save = useMutation(api.talks.save);
  const [drafts] = useState(() => new Drafts((args) => save(args)));
  const [open, setOpen] = useState<Id<"talks"> | null>(null);
  return (
    <main>
      <Heading conference={conference} />
      <TalkList conference={conference} drafts={drafts} onOpen={setOpen} />
      {open !== null && (
        <TalkForm key={open} id={open} drafts={drafts} onClose={() => setOpen(null)} />
      )}
      <UnsavedTalks drafts={drafts} />
    </main>
  );
}
