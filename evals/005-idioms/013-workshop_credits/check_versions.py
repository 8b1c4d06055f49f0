# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The versions of the backend of workshop credits that an answer's tests are run over."""

from functools import cache
from pathlib import Path
from typing import Final

from check_rewritten import REWRITTEN

from runner.grader import planted

_HERE: Final = Path(__file__).parent / "given"

Version = dict[str, str]
Change = tuple[str, str, str]


@cache
def read_given() -> Version:
    """Return the given modules by path."""
    paths = sorted(_HERE.rglob("*.ts"))
    return {path.relative_to(_HERE).as_posix(): path.read_text("utf-8") for path in paths}


def _change(version: Version, *changes: Change) -> Version:
    """Replace texts, each of which is a module, the old text and the new one."""
    changed = dict(version)
    for module, old, new in changes:
        path = f"convex/{module}.ts"
        changed[path] = planted(changed[path], old, new)
    return changed


def _rename_given(given: Version) -> Version:
    """Write the given backend with other tables, indexes and jobs, and checks in another order."""
    names = {'"lots"': '"batches"', "  lots: define": "  batches: define"}
    names |= {'"entries"': '"lines"', "  entries: define": "  lines: define"}
    names |= {'"by_member"': '"of_member"', "internal.jobs": "internal.timers"}
    renamed: Version = {}
    for path, text in given.items():
        for old, new in names.items():
            text = text.replace(old, new)  # noqa: PLW2901 - each name in turn
        renamed[path] = text
    jobs = renamed["convex/jobs.ts"]
    renamed |= {"convex/timers.ts": jobs, "convex/jobs.ts": "export {};\n"}
    bad = '    if (!checkCredits(credits)) refuse("bad credits");\n'
    three = "    if ((await openHolds(ctx, member)).length >= MOST_OPEN)"
    return _change(
        renamed,
        ("holds", f"{bad}{three}", three),
        ("holds", "    const taken = await take(", f"{bad}    const taken = await take("),
        ("holds", "return holds.map(", "return holds.toReversed().map("),
    )


def _forget_lots(given: Version) -> Version:
    """Write the given backend so that it deletes lots that have ended or were withdrawn."""
    return _change(
        given,
        ("model/purse", _GIVE_BACK, _GIVE_BACK_KNOWN),
        ("schema", "  holds: define", _BYGONE_TABLE + "  holds: define"),
        ("lots", '(await ctx.db.get("lots", id)) ?? refuse("not found")', _GONE_LOT),
        ("lots", 'ctx.db.patch("lots", id, { left: 0, withdrawn: true });', _BYGONE),
        ("holds", "lot === null || lot.withdrawn ||", "lot === null ||"),
        ("jobs", _END_ONCE, _DELETE_ENDED),
        ("reports", '(await ctx.db.get("lots", id))?.ends ?? 0', _END_OF_GONE),
        ("reports", "/** What we owe, by", _END_OF + "/** What we owe, by"),
    )


_GIVE_BACK: Final = """\
    if (lot === null) throw new Error("lots are never deleted");
    if (lot.withdrawn) await book(ctx, member, "withdrawn", -credits, at);
    else if (lot.ends"""
_GIVE_BACK_KNOWN: Final = """\
    if (lot === null) {
      const gone = await ctx.db
        .query("bygone")
        .withIndex("by_lot", (q) => q.eq("lot", id))
        .unique();
      await book(ctx, member, gone === null ? "expired" : "withdrawn", -credits, at);
    } else if (lot.ends"""
_BYGONE_TABLE: Final = """\
  bygone: defineTable({ lot: v.string(), ends: v.number() }).index("by_lot", ["lot"]),

"""
_GONE_LOT: Final = '(await ctx.db.get("lots", id)) ?? refuse("nothing left")'
_END_ONCE: Final = """\
if (lot === null || lot.left === 0) return null;
    await ctx.db.patch("lots", id, { left: 0 });"""
_END_OF_GONE: Final = '(await ctx.db.get("lots", id))?.ends ?? (await endOf(ctx, id))'
_BYGONE: Final = """\
ctx.db.delete("lots", id);
    await ctx.db.insert("bygone", { lot: id, ends: lot.ends });"""
_DELETE_ENDED: Final = """\
if (lot === null) return null;
    await ctx.db.delete("lots", id);
    if (lot.left === 0) return null;"""
_END_OF: Final = """\
async function endOf(ctx: any, id: string): Promise<number> {
  const gone = await ctx.db
    .query("bygone")
    .withIndex("by_lot", (q: any) => q.eq("lot", id))
    .unique();
  return gone?.ends ?? 0;
}

"""


def _vary_rewritten() -> Version:
    """Write the other backend so that it stores transfers apart and counts pages by keys."""
    return _change(
        REWRITTEN,
        ("statement", "const end = cursor === null ? entries.length : Number(cursor);", _BY_KEY),
        ("statement", "continueCursor: String(start)", "continueCursor: `before ${start}`"),
        ("core/account", "for (const { data } of accounts) settle(data, Date.now());", _SETTLED),
    )


_BY_KEY: Final = "const end = cursor === null ? entries.length : Number(cursor.slice(7));"
_SETTLED: Final = """\
accounts.reverse();
  for (const account of accounts) {
    account.data = JSON.parse(JSON.stringify(account.data));
    settle(account.data, Date.now());
  }"""


def _list_bugs_of_given(given: Version) -> dict[str, Version]:
    bugs: dict[str, tuple[Change, ...]] = {
        "later grants first": (("model/purse", _IN_ORDER, _LATER_FIRST),),
        "missing without holds": (
            ("holds", "credits - (await countAvailable(ctx, member))", _MISSING_OF_ALL),
        ),
        "low without a hold": (
            ("model/purse", "  if (before < credits) return null;\n", _LOW_FOR_NOTHING),
        ),
        "captured holds are open": (
            ("holds", "(await openHolds(ctx, member)).length >= MOST_OPEN", _CAPTURED_TOO),
        ),
        "the last is spent": (("holds", _SPLIT, _SPLIT_BACKWARDS),),
        "lapses after the capture": (
            ("jobs", '    if (hold?.state !== "open") return null;\n', _LAPSE_CAPTURED),
        ),
        "vanishes in an ended lot": (("model/purse", _EXPIRES_AT_ONCE, ""),),
        "usable in a withdrawn lot": (("model/purse", _WITHDRAWN_AT_ONCE, "    if (lot.ends"),),
        "the first is refunded": (
            (
                "holds",
                "const backwards = hold.parts.toReversed();",
                "const backwards = hold.parts;",
            ),
        ),
        "a refund begins anew": (
            ("holds", "splitParts(splitParts(backwards, hold.refunded).rest, credits)", _ANEW),
        ),
        "a new lot for all": (("holds", _REFUND_PARTS, _REFUND_AT_ONCE),),
        "14 days from the hold": (
            ("holds", "hold.capturedAt + REFUNDED_WITHIN", "hold.lapses - LASTS + REFUNDED_WITHIN"),
        ),
        "refunded to a withdrawn lot": (
            ("holds", "lot === null || lot.withdrawn || lot.ends", "lot === null || lot.ends"),
        ),
        "spent with the hold": (
            ("holds", 'book(ctx, member, "spent", -credits, now)', _SPENT_EARLY),
            ("holds", _CAPTURED_PARTS, _CAPTURED_PARTS.replace("parts }", "parts, lapses }")),
        ),
        "expired with its lot": (
            ("model/purse", 'book(ctx, member, "expired", -credits, at)', _EXPIRED_EARLY),
        ),
        "back to another lot": (("model/purse", _EXPIRES_AT_ONCE, _BACK_TO_ANOTHER),),
        "to oneself in other capitals": (
            ("transfers", "receiver._id === from", "receiver._id === from && receiver.name === to"),
        ),
    }
    return {name: _change(given, *changes) for name, changes in bugs.items()}


_IN_ORDER: Final = "return lots.filter(({ left }) => left > 0);"
_LATER_FIRST: Final = """\
return lots
    .filter(({ left }) => left > 0)
    .sort((a, b) => a.ends - b.ends || b._creationTime - a._creationTime);"""
_MISSING_OF_ALL: Final = """\
credits -
        (await countAvailable(ctx, member)) -
        (await openHolds(ctx, member)).reduce((sum, { parts }) => sum + countParts(parts), 0)"""
_LOW_FOR_NOTHING: Final = """\
  if (before < credits) {
    if (before >= LOW) await tell(ctx, member, "low");
    return null;
  }
"""
_CAPTURED_TOO: Final = """\
(
        await ctx.db
          .query("holds")
          .withIndex("by_member", (q) => q.eq("member", member))
          .collect()
      ).filter(({ lapses, state }) => state !== "released" && lapses > Date.now()).length >=
      MOST_OPEN"""
_SPLIT: Final = "const { first, rest } = splitParts(parts, credits);"
_SPLIT_BACKWARDS: Final = """\
const { first: rest, rest: first } = splitParts(parts, countParts(parts) - credits);"""
_LAPSE_CAPTURED: Final = """\
    if (hold === null || hold.state === "released" || hold.refunded > 0) return null;
"""
_REFUND_PARTS: Final = "    if (homeless > 0) await addLot("
_REFUND_AT_ONCE: Final = """\
    if (homeless > 0 && homeless < credits) {
      for (const part of first) {
        const lot = await ctx.db.get("lots", part.lot);
        if (lot !== null && !lot.withdrawn && lot.ends > now)
          await ctx.db.patch("lots", part.lot, { left: lot.left - part.credits });
      }
      homeless = credits;
    }
    if (homeless > 0) await addLot("""
_CAPTURED_PARTS: Final = """\
    const { member, parts } = await requireOpen(ctx, id);
    if (!checkCredits"""
_SPENT_EARLY: Final = 'book(ctx, member, "spent", -credits, lapses - LASTS)'
_EXPIRED_EARLY: Final = 'book(ctx, member, "expired", -credits, lot.ends)'
_BACK_TO_ANOTHER: Final = """\
    else if (lot.ends <= at) {
      const [other] = await usableLots(ctx, member);
      if (other === undefined) await book(ctx, member, "expired", -credits, at);
      else await ctx.db.patch("lots", other._id, { left: other.left + credits });
    }
"""
_EXPIRES_AT_ONCE: Final = """\
    else if (lot.ends <= at) await book(ctx, member, "expired", -credits, at);
"""
_WITHDRAWN_AT_ONCE: Final = """\
    if (lot.withdrawn) await book(ctx, member, "withdrawn", -credits, at);
    else if (lot.ends"""
_ANEW: Final = "splitParts(backwards, credits)"


def _list_bugs_of_rewritten() -> dict[str, Version]:
    bugs: dict[str, tuple[Change, ...]] = {
        "usable at the end": (
            ("core/account", "at: lot.ends, run: () => end", "at: lot.ends + 1, run: () => end"),
        ),
        "a balance without holds": (
            (
                "core/account",
                "balance: before + credits }",
                "balance: before + credits - held(data, kind) }",
            ),
            ("core/account", "export function enter(", _HELD_AT_SENDING),
        ),
        "held credits expire": (
            ("core/account", "  const credits = lot.left;\n  lot.left = 0;\n", _HELD_EXPIRE),
        ),
        "held credits are withdrawn": (
            ("lots", "      const credits = lot.left;\n", _HELD_WITHDRAWN),
        ),
        "one end for all": (
            ("transfers", "    for (const piece of take(data, credits)) {", _TAKEN),
            ("transfers", "id === piece.lot", "id === taken[0].lot"),
        ),
        "a day of 24 hours": (
            ("transfers", "midnightOf(at) === midnightOf(now)", "at > now - 86_400_000"),
        ),
        "checked before the key": (
            ("transfers", "    if (again) return again.credits;\n", _CHECKED_FIRST),
        ),
        "announced too late": (
            ("core/account", "reminds: ends - 2 * DAY > Date.now() }", "reminds: true }"),
        ),
        "pages by moments": (
            ("statement", "cursor === null ? entries.length : Number(cursor)", _BY_MOMENT),
            ("statement", "String(start)", "String(entries[start]?.at ?? 0)"),
        ),
        "expired in the month before": (
            (
                "statement",
                "new Date(entry.at)",
                'new Date(entry.at - (entry.kind === "expired" ? 1 : 0))',
            ),
        ),
        "a notice for each lot": (
            (
                "core/account",
                "if (lot.ends === ends) {",
                "if (lot.ends === ends && lot.reminds && !credits) {",
            ),
        ),
        "held credits are announced": (
            ("core/account", "      credits += lot.left;\n", _HELD_ANNOUNCED),
        ),
        "owed under the end": (("reports", "ends > Date.now() ? ends : 0", "ends"),),
    }
    return {name: _change(REWRITTEN, *changes) for name, changes in bugs.items()}


_HELD_AT_SENDING: Final = """\
const held = (data: Data, kind: string) =>
  kind === "sent" ? openOnes(data).reduce((sum, { pieces }) => sum + total(pieces), 0) : 0;

export function enter("""
_HELD_EXPIRE: Final = """\
  let credits = lot.left;
  lot.left = 0;
  for (const hold of openOnes(data)) {
    credits += total(hold.pieces.filter((piece) => piece.lot === lot.id));
    hold.pieces = hold.pieces.filter((piece) => piece.lot !== lot.id);
  }
"""
_HELD_WITHDRAWN: Final = """\
      let credits = lot.left;
      for (const hold of credits > 0 ? openOnes(account.data) : []) {
        credits += total(hold.pieces.filter((piece) => piece.lot === lot.id));
        hold.pieces = hold.pieces.filter((piece) => piece.lot !== lot.id);
      }
"""
_TAKEN: Final = """\
    const taken = take(data, credits);
    for (const piece of taken) {"""
_CHECKED_FIRST: Final = """\
    if (credits > available(data)) deny("not enough");
    if (again) return again.credits;
"""
_BY_MOMENT: Final = """\
cursor === null
        ? entries.length
        : entries.filter(({ at }) => at < Number(cursor)).length"""
_HELD_ANNOUNCED: Final = """\
      credits += lot.left;
      for (const hold of openOnes(data))
        credits += total(hold.pieces.filter((piece) => piece.lot === lot.id));
"""


@cache
def list_versions() -> dict[str, Version]:
    """Return five right versions, and thirty that break one rule each."""
    given = read_given()
    return {
        "as given": given,
        "renamed": _rename_given(given),
        "forgetful": _forget_lots(given),
        "rewritten": REWRITTEN,
        "varied": _vary_rewritten(),
        **_list_bugs_of_given(given),
        **_list_bugs_of_rewritten(),
    }
