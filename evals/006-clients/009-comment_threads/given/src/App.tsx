// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../convex/_generated/dataModel";
import { Summary } from "./Summary";
import { ThreadList } from "./threads/ThreadList";

interface Props {
  document: Id<"documents">;
  me: string;
}

/** The margin of a document, for the person who reads it. */
export default function App({ document, me }: Props) {
  return (
    <main>
      <Summary document={document} />
      <ThreadList document={document} me={me} />
    </main>
  );
}
