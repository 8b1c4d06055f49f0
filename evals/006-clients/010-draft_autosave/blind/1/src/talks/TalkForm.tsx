// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../../convex/_generated/dataModel";
import type { Drafts, TalkView } from "./drafts";
import { FIELDS } from "./fields";
import { TextField } from "./TextField";
import { useStoredTalk } from "./useDrafts";

interface Props {
  id: Id<"talks">;
  drafts: Drafts;
  view: TalkView | undefined;
  onClose: () => void;
}

/** The talk that is open. */
export function TalkForm({ id, drafts, view, onClose }: Props) {
  const talk = useStoredTalk(drafts, id);
  return (
    <section id="talk">
      <button onClick={onClose}>Close</button>
      {talk === undefined && <p>Loading talk</p>}
      {talk === null && <p>This talk was withdrawn</p>}
      {talk && <Texts talk={talk} drafts={drafts} view={view} />}
    </section>
  );
}

interface TextsProps {
  talk: Doc<"talks">;
  drafts: Drafts;
  view: TalkView | undefined;
}

function Texts({ talk, drafts, view }: TextsProps) {
  // The answer to a save can be newer than what the query told.
  const stored = view !== undefined && view.version > talk.version ? view.texts : talk;
  return (
    <>
      {talk.room !== undefined && <p className="room">{talk.room}</p>}
      {FIELDS.map(({ field, label }) => (
        <TextField
          key={field}
          label={label}
          stored={stored[field]}
          draft={view?.drafts[field]}
          onType={(text) => drafts.type(talk._id, field, text)}
          onRetry={() => drafts.retry(talk._id, field)}
          onKeepMine={() => drafts.keepMine(talk._id, field)}
          onTakeTheirs={() => drafts.takeTheirs(talk._id, field)}
        />
      ))}
    </>
  );
}
