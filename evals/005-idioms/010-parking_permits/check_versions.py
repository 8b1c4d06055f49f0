# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The versions of the backend of parking permits that an answer's tests are run over."""

from functools import cache
from pathlib import Path
from typing import Final

from check_rewritten import REWRITTEN

from runner.grader import planted

_HERE: Final = Path(__file__).parent / "given"

Version = dict[str, str]


@cache
def read_given() -> Version:
    """Return the given modules by path."""
    paths = sorted(_HERE.rglob("*.ts"))
    return {path.relative_to(_HERE).as_posix(): path.read_text("utf-8") for path in paths}


def _change(version: Version, *changes: tuple[str, str, str]) -> Version:
    """Replace texts, each of which is a module, the old text and the new one."""
    changed = dict(version)
    for module, old, new in changes:
        path = f"convex/{module}.ts"
        changed[path] = planted(changed[path], old, new)
    return changed


def _rename_given(given: Version) -> Version:
    """Write the given backend with other tables, indexes, jobs and orders."""
    names = {'"permits"': '"passes"', '"waiting"': '"places"', "by_owner": "of_person"}
    names |= {"internal.jobs": "internal.timers", '"payments"': '"bookings"'}
    names |= {"  permits: define": "  passes: define", "  waiting: define": "  places: define"}
    names |= {"  payments: define": "  bookings: define"}
    renamed: dict[str, str] = {}
    for path, text in given.items():
        for old, new in names.items():
            text = text.replace(old, new)  # noqa: PLW2901 - each name in turn
        renamed[path] = text
    jobs = renamed["convex/jobs.ts"]
    renamed |= {"convex/timers.ts": jobs, "convex/jobs.ts": "export {};\n"}
    limit = '    if ((await validOf(ctx, owner)).length >= MOST_PERMITS) refuse("two permits");\n'
    return _change(
        renamed,
        ("permits", limit, ""),
        ("permits", "    checkDays(days, ends);\n    const plate", f"{limit}    const plate"),
        ("permits", "    await settleLine(ctx, id, now);\n    const place", _LATE_CHECK),
        ("permits", "(await validOf(ctx, await requirePerson(ctx))).map(show)", _MINE_REVERSED),
    )


_LATE_CHECK: Final = """\
    checkDays(days, ends);
    await settleLine(ctx, id, now);
    const place"""
_MINE_REVERSED: Final = "(await validOf(ctx, await requirePerson(ctx))).reverse().map(show)"


def _forget_ended() -> Version:
    """Write the other backend so that it deletes permits with their ends."""
    return _change(
        REWRITTEN,
        ("permits", "await ctx.db.patch(pass._id, { cancelledAt: at });", ""),
        ("permits", "    await vacate(ctx, pass.zone, at);\n", _DELETED_AT_ONCE),
        ("timing", "    await queue.vacate(ctx, pass.zone, args.until);\n", _DELETED_AT_END),
    )


_DELETED_AT_ONCE: Final = """\
    await ctx.db.delete(pass._id);
    await vacate(ctx, pass.zone, at);
"""
_DELETED_AT_END: Final = """\
    await ctx.db.delete(pass._id);
    await queue.vacate(ctx, pass.zone, args.until);
"""
_ANY_OFFER: Final = """\
    const line = await ctx.db
      .query("waiting")
      .withIndex("by_zone", (q) => q.eq("zone", id))
      .collect();
    const offered = place !== null && line.some(({ offerEnds }) => offerEnds !== undefined);
"""
_BY_STAFF: Final = """\
    const { role } = await caller(ctx);
    const pass = role === "staff" ? await ctx.db.get(args.permit) : await own(ctx, args.permit);
    if (!pass) return deny("not found");
    const at = Date.now();
"""
_NEXT_IN_LINE: Final = """\
    const next = (await queueOf(ctx, pass.zone)).find((row) => row.offeredUntil === null);
    if (next) await offer(ctx, next, at + DAY);
"""
_REMIND_UNCHANGED: Final = """\
    if (permit?.ends !== ends) return null;
    const { owner, zone } = permit;
    await ctx.db.insert("notices", { owner, zone, kind: "ends soon" });
"""


def _list_bugs_of_given(given: Version) -> dict[str, Version]:
    return {
        "issuers are one": _change(
            given, ("model/session", "identity.tokenIdentifier", "identity.subject")
        ),
        "extension priced from today": _change(
            given,
            (
                "permits",
                "priceDays(zone.fee, permit.ends, days)",
                "priceDays(zone.fee, startOfDay(Date.now()), days)",
            ),
        ),
        "moved plate as written": _change(
            given,
            (
                "permits",
                "    const plate = plainPlate(written);\n    const other",
                "    const plate = written;\n    const other",
            ),
        ),
        "half days dropped": _change(
            given,
            ("model/prices", "let halves = 0;", "let whole = 0;"),
            (
                "model/prices",
                "halves += isWeekend(first + day * DAY) ? 1 : 2;",
                "whole += isWeekend(first + day * DAY) ? Math.floor(fee / 2) : fee;",
            ),
            ("model/prices", "(fee * halves * tenths) / 20", "(whole * tenths) / 10"),
        ),
        "hour of the extension": _change(
            given,
            (
                "permits",
                "      days: permit.days + days,\n",
                "      boughtAt: Date.now(),\n      days: permit.days + days,\n",
            ),
        ),
        "announced for the old end": _change(
            given,
            (
                "jobs",
                _REMIND_UNCHANGED,
                _REMIND_UNCHANGED.replace(
                    "permit?.ends !== ends", "permit === null || permit.ends < ends"
                ),
            ),
        ),
        "cheaper by all days": _change(
            given,
            (
                "model/prices",
                "first: number, days: number)",
                "first: number, days: number, all = days)",
            ),
            ("model/prices", "days >= 7", "all >= 7"),
            (
                "permits",
                "priceDays(zone.fee, permit.ends, days)",
                "priceDays(zone.fee, permit.ends, days, permit.days + days)",
            ),
        ),
        "offer of somebody else": _change(
            given,
            ("permits", "    const offered = place?.offerEnds !== undefined;\n", _ANY_OFFER),
        ),
    }


def _list_bugs_of_rewritten() -> dict[str, Version]:
    return {
        "cancelled by staff": _change(
            REWRITTEN,
            (
                "permits",
                "    const pass = await own(ctx, args.permit);\n    const at = Date.now();\n",
                _BY_STAFF,
            ),
        ),
        "valid at its end": _change(
            REWRITTEN,
            ("permits", "wanted && isValid(pass, now)", "wanted && isValid(pass, now - 1)"),
        ),
        "ended permits count": _change(
            REWRITTEN,
            (
                "permits",
                ".filter((pass) => isValid(pass, now))",
                ".filter((pass) => pass.cancelledAt === undefined)",
            ),
        ),
        "day begins after midnight": _change(
            REWRITTEN,
            (
                "permits",
                "const tomorrow = midnightOf(at) + DAY;",
                "const tomorrow = Math.ceil(at / DAY) * DAY;",
            ),
        ),
        "paid back on the first day": _change(
            REWRITTEN,
            ("permits", "cents: back, at });", "cents: back, at: pass.since });"),
        ),
        "given up and kept": _change(
            REWRITTEN,
            ("line", "    await vacate(ctx, args.zone, Date.now());\n", ""),
        ),
        "offered without a place": _change(
            REWRITTEN,
            ("permits", "    await vacate(ctx, pass.zone, at);\n", _NEXT_IN_LINE),
            ("permits", "queueOf, vacate }", "offer, queueOf }"),
            ("core/queue", "async function offer(", "export async function offer("),
        ),
        "extended at the old fee": _change(
            REWRITTEN,
            ("core/passes", "zone ? zone.fee : pass.fee", "pass.fee"),
        ),
    }


@cache
def list_versions() -> dict[str, Version]:
    """Return four right versions, and sixteen that break one rule each."""
    given = read_given()
    return {
        "as given": given,
        "rewritten": REWRITTEN,
        "renamed": _rename_given(given),
        "forgetful": _forget_ended(),
        **_list_bugs_of_given(given),
        **_list_bugs_of_rewritten(),
    }
