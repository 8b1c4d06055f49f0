// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation, useQuery } from "convex/react";
import { useState } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import type { Field } from "../../convex/lib/texts";
import { FIELDS } from "./fields";
import { explain } from "./refusals";
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
  const save = useMutation(api.talks.save);
  const [typed, setTyped] = useState<Partial<Record<Field, string>>>({});
  const [refusal, setRefusal] = useState<string | null>(null);

  const submit = async () => {
    try {
      await save({ talk: talk._id, base: talk.version, texts: typed });
      setTyped({});
      setRefusal(null);
    } catch (error) {
      setRefusal(explain(error));
    }
  };

  return (
    <>
      {talk.room !== undefined && <p className="room">{talk.room}</p>}
      {FIELDS.map(({ field, label }) => (
        <TextField
          key={field}
          label={label}
          text={typed[field] ?? talk[field]}
          onType={(text) => setTyped((before) => ({ ...before, [field]: text }))}
        />
      ))}
      <button onClick={() => void submit()}>Save</button>
      {refusal !== null && <p role="alert">{refusal}</p>}
    </>
  );
}
