// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { DraftNotes } from "./DraftNotes";
import type { Drafts } from "./drafts";
import { FIELDS } from "./fields";
import { TextField } from "./TextField";
import { useDrafts, useSeen } from "./useDrafts";

interface Props {
  id: Id<"talks">;
  drafts: Drafts;
  onClose: () => void;
}

/** The talk that is open. */
export function TalkForm({ id, drafts, onClose }: Props) {
  const talk = useQuery(api.talks.get, { talk: id });
  useSeen(drafts, id, talk);
  return (
    <section id="talk">
      <button onClick={onClose}>Close</button>
      {talk === undefined && <p>Loading talk</p>}
      {talk === null && <p>This talk was withdrawn</p>}
      {talk && <Texts talk={talk} drafts={drafts} />}
    </section>
  );
}

function Texts({ talk, drafts }: { talk: Doc<"talks">; drafts: Drafts }) {
  useDrafts(drafts);
  return (
    <>
      {talk.room !== undefined && <p className="room">{talk.room}</p>}
      {FIELDS.map(({ field, label }) => {
        const draft = drafts.view(talk._id, field);
        return (
          <TextField
            key={field}
            label={label}
            text={draft?.typed ?? talk[field]}
            onType={(text) => drafts.type(talk, field, text)}
          >
            {draft !== null && (
              <DraftNotes
                draft={draft}
                onRetry={() => drafts.retry(talk._id, field)}
                onKeepMine={(theirs) => drafts.keepMine(talk._id, field, theirs)}
                onTakeTheirs={() => drafts.takeTheirs(talk._id, field)}
              />
            )}
          </TextField>
        );
      })}
    </>
  );
}
