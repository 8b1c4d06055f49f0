// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { FIELDS } from "./fields";
import { TextField } from "./TextField";

interface Props {
  id: Id<"talks">;
  onClose: () => void;
}

/** The talk that is open. */
export function TalkForm({ id, onClose }: Props) {
  const talk = useQuery(api.talks.get, { talk: id });
  return (
    <section id="talk">
      <button onClick={onClose}>Close</button>
      {talk === undefined && <p>Loading talk</p>}
      {talk === null && <p>This talk was withdrawn</p>}
      {talk && <Texts talk={talk} />}
    </section>
  );
}

function Texts({ talk }: { talk: Doc<"talks"> }) {
  return (
    <>
      {talk.room !== undefined && <p className="room">{talk.room}</p>}
      {FIELDS.map(({ field, label }) => (
        <TextField
          key={field}
          talk={talk._id}
          field={field}
          label={label}
          stored={talk[field]}
        />
      ))}
    </>
  );
}
