// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../../convex/_generated/dataModel";
import type { Drafts, TalkView } from "./drafts";
import { TextField } from "./TextField";

interface Props {
  id: Id<"talks">;
  // Undefined while it loads, null if it was withdrawn.
  talk: TalkView | null | undefined;
  drafts: Drafts;
  onClose: () => void;
}

/** The talk that is open. */
export function TalkForm({ id, talk, drafts, onClose }: Props) {
  return (
    <section id="talk">
      <button onClick={onClose}>Close</button>
      {talk === undefined && <p>Loading talk</p>}
      {talk === null && <p>This talk was withdrawn</p>}
      {talk?.room !== undefined && <p className="room">{talk.room}</p>}
      {talk?.fields.map(({ field, ...shown }) => (
        <TextField
          key={field}
          {...shown}
          onType={(text) => drafts.type(id, field, text)}
          onKeep={() => drafts.keep(id, field)}
          onTake={() => drafts.take(id, field)}
          onRetry={() => drafts.retry(id, field)}
        />
      ))}
    </section>
  );
}
