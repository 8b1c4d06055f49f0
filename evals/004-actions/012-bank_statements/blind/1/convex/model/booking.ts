// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { openOf } from "./invoices";
import {
  asciiDigits,
  assigned,
  compareText,
  fold,
  head,
  padRight,
  percent,
  roundEven,
  show,
} from "./python";
import { endRun } from "./runs";
import type { Payment, Row } from "./validators";

const DISCOUNT_DAYS = 10;
const DAYS_TO_TAKE_BACK = 8 * 7;

const MAX_LINES = 25;
/** Text of the rows that one call books, if it books several. */
const MAX_SIZE = 100_000;
/*
 * A transaction reads and writes at most 400 documents. One line reads at most 170 and writes at most
 * 80 (40 invoices, as many same lines, 17 numbers in its purpose), and the rest of the call less than 20.
 */
const READS_BEFORE_LINE = 190;
const WRITES_BEFORE_LINE = 290;
/** With so many same lines, `repeats` has their number. */
const MANY_LINES = 20;

/** Python's \w is [\p{L}\p{N}_], and two more letters are an I in another case. */
const NUMBER =
  /(?<![\p{L}\p{N}_])(?:[Rr][Ee]|[Ii\u0130\u0131][Nn][Vv])[-/ ]?(\p{Nd}{2})[-/ ]?(\p{Nd}{3,5})(?![\p{L}\p{N}_])/gu;

/** Counts the documents that a call reads and writes. */
class Meter {
  private reads = 0;
  private writes = 0;

  hasRoom(): boolean {
    return this.reads <= READS_BEFORE_LINE && this.writes <= WRITES_BEFORE_LINE;
  }

  async one<T>(document: Promise<T | null>): Promise<T | null> {
    this.reads += 1;
    return await document;
  }

  async many<T>(documents: Promise<T[]>): Promise<T[]> {
    const found = await documents;
    this.reads += found.length;
    return found;
  }

  async insert<T>(inserted: Promise<T>): Promise<T> {
    this.writes += 1;
    return await inserted;
  }

  /** Also what is changed or deleted is read. */
  async change(changed: Promise<void>): Promise<void> {
    this.reads += 1;
    this.writes += 1;
    await changed;
  }
}

interface Line extends Omit<Payment, "amount"> {
  amount: bigint;
}

/** Cents of the tables, to compute with those of a file, which may be more than a float can hold. */
const toCents = (amount: number): bigint =>
  Number.isFinite(amount) ? BigInt(Math.round(amount)) : 0n;

const dayNumber = (day: string): number => Date.parse(day) / 86_400_000;

const toDay = (days: number): string => new Date(days * 86_400_000).toISOString().slice(0, 10);

/** As Python has it on Linux: without zeros before the year. */
function showDay(day: string): string {
  const [year = "", month = "", date = ""] = day.split("-");
  return `${date}.${month}.${String(Number(year))}`;
}

export const sizeOf = (row: Row): number =>
  "text" in row
    ? row.text.length
    : row.iban.length + row.amount.length + row.payer.length + row.purpose.length;

function findNumbers(purpose: string): Set<string> {
  const numbers = new Set<string>();
  for (const [, year = "", serial = ""] of assigned(purpose).matchAll(NUMBER)) {
    numbers.add(`INV-${year}-${String(Number(asciiDigits(serial))).padStart(5, "0")}`);
  }
  return numbers;
}

function discountOf(invoice: Doc<"invoices">, day: string): bigint {
  const { amount, discount, discountDays, issued, paid } = invoice;
  if (discount === undefined || discount === 0 || paid !== 0) return 0n;
  const days = discountDays === undefined || discountDays === 0 ? DISCOUNT_DAYS : discountDays;
  if (dayNumber(day) > dayNumber(issued) + Math.floor(days)) return 0n;
  return toCents(roundEven((amount * discount) / 100));
}

/** What a payment is for that names no unpaid invoice. */
async function choose(
  ctx: MutationCtx,
  meter: Meter,
  customer: Id<"customers">,
  line: Line,
): Promise<Doc<"invoices">[]> {
  const invoices = await meter.many(
    ctx.db
      .query("invoices")
      .withIndex("by_customer_and_open", (q) => q.eq("customer", customer).gt("open", 0))
      .take(100),
  );
  const dueOf = (invoice: Doc<"invoices">): string => invoice.due ?? "9999-12-31";
  const unpaid = invoices
    .filter((invoice) => openOf(invoice) > 0)
    .sort((a, b) => compareText(dueOf(a), dueOf(b)) || compareText(a.number, b.number));
  for (const invoice of unpaid) {
    const open = toCents(openOf(invoice));
    if (line.amount === open || line.amount === open - discountOf(invoice, line.day)) {
      return [invoice];
    }
  }
  return unpaid;
}

/** Adds to what is paid of invoices and to a customer's credit, and keeps what customers owe. */
async function settle(
  ctx: MutationCtx,
  meter: Meter,
  payments: ReadonlyMap<Doc<"invoices">, bigint>,
  customer: Doc<"customers"> | null,
  credit: bigint,
): Promise<void> {
  const differences = new Map<Id<"customers">, number>();
  for (const [invoice, payment] of payments) {
    const paid = Number(toCents(invoice.paid) + payment);
    const open = openOf({ ...invoice, paid });
    await meter.change(ctx.db.patch("invoices", invoice._id, { paid, open }));
    const difference = differences.get(invoice.customer) ?? 0;
    differences.set(invoice.customer, difference + open - invoice.open);
  }
  if (customer !== null) {
    await meter.change(
      ctx.db.patch("customers", customer._id, {
        credit: Number(toCents(customer.credit ?? 0) + credit),
        owed: customer.owed + (differences.get(customer._id) ?? 0),
      }),
    );
    differences.delete(customer._id);
  }
  // An invoice that a payment names may be another customer's.
  for (const [id, difference] of differences) {
    if (difference === 0) continue;
    const other = await meter.one(ctx.db.get("customers", id));
    if (other === null) continue;
    await meter.change(ctx.db.patch("customers", id, { owed: other.owed + difference }));
  }
}

/** The latest booking that a line can take back, of several on that day the first. */
async function findReturned(
  ctx: MutationCtx,
  meter: Meter,
  line: Line,
): Promise<Doc<"bookings"> | null> {
  if (line.iban === "") return null;
  const amount = Number(-line.amount);
  const first = toDay(dayNumber(line.day) - DAYS_TO_TAKE_BACK);
  let booking: Doc<"bookings"> | null = null;
  for (const returned of [undefined, false]) {
    const between = (from: string, to: string) =>
      ctx.db
        .query("bookings")
        .withIndex("by_iban_and_amount", (q) =>
          q
            .eq("iban", line.iban)
            .eq("amount", amount)
            .eq("returned", returned)
            .gte("day", from)
            .lte("day", to),
        );
    const latest = await meter.one(between(first, line.day).order("desc").first());
    if (latest === null) continue;
    const found = (await meter.one(between(latest.day, latest.day).first())) ?? latest;
    if (
      booking === null ||
      found.day > booking.day ||
      (found.day === booking.day && found._creationTime < booking._creationTime)
    ) {
      booking = found;
    }
  }
  return booking;
}

async function takeBack(ctx: MutationCtx, meter: Meter, line: Line): Promise<string> {
  const booking = await findReturned(ctx, meter, line);
  if (booking === null) return "unknown";
  const invoices = new Map<Id<"invoices">, Doc<"invoices">>();
  const payments = new Map<Doc<"invoices">, bigint>();
  const words = ["returned"];
  for (const part of booking.parts) {
    const invoice =
      invoices.get(part.invoice) ?? (await meter.one(ctx.db.get("invoices", part.invoice)));
    if (invoice === null) continue;
    invoices.set(invoice._id, invoice);
    const before = payments.get(invoice) ?? 0n;
    payments.set(invoice, before - toCents(part.amount) - toCents(part.discount));
    words.push(invoice.number);
  }
  await meter.change(ctx.db.patch("bookings", booking._id, { returned: true }));
  const customer = await meter.one(ctx.db.get("customers", booking.customer));
  await settle(ctx, meter, payments, customer, -toCents(booking.credit ?? 0));
  return words.join(" ");
}

/** Who pays: whose account it is, or else whose invoice is named first. */
async function findCustomer(
  ctx: MutationCtx,
  meter: Meter,
  line: Line,
  named: Doc<"invoices">[],
): Promise<Doc<"customers"> | null> {
  // Should an account be there twice, the later one counts for the script.
  const account = await meter.one(
    ctx.db
      .query("accounts")
      .withIndex("by_iban", (q) => q.eq("iban", line.iban))
      .order("desc")
      .first(),
  );
  const owner =
    account === null ? null : await meter.one(ctx.db.get("customers", account.customer));
  const invoice: Doc<"invoices"> | undefined = named[0];
  if (owner !== null || invoice === undefined) return owner;
  const customer = await meter.one(ctx.db.get("customers", invoice.customer));
  if (customer !== null && line.iban !== "" && fold(line.payer) === fold(customer.name)) {
    if (account === null) {
      const { iban } = line;
      await meter.insert(ctx.db.insert("accounts", { iban, customer: customer._id }));
    } else {
      await meter.change(ctx.db.patch("accounts", account._id, { customer: customer._id }));
    }
  }
  return customer;
}

/** Returns what became of the line. */
async function book(ctx: MutationCtx, meter: Meter, line: Line): Promise<string> {
  if (line.amount < 0n) return await takeBack(ctx, meter, line);
  if (line.amount === 0n) return "-";
  const named: Doc<"invoices">[] = [];
  for (const number of findNumbers(line.purpose)) {
    const invoice = await meter.one(
      ctx.db
        .query("invoices")
        .withIndex("by_number", (q) => q.eq("number", number))
        .order("desc")
        .first(),
    );
    if (invoice !== null) named.push(invoice);
  }
  const customer = await findCustomer(ctx, meter, line, named);
  if (customer === null) return "unknown";
  const unpaid = named.filter((invoice) => openOf(invoice) > 0);
  const targets = unpaid.length > 0 ? unpaid : await choose(ctx, meter, customer._id, line);

  const payments = new Map<Doc<"invoices">, bigint>();
  const parts: Doc<"bookings">["parts"] = [];
  const texts: string[] = [];
  let rest = line.amount;
  for (const invoice of targets) {
    if (rest === 0n) break;
    const open = toCents(openOf(invoice));
    const offered = discountOf(invoice, line.day);
    const discount = rest === open - offered ? offered : 0n;
    const amount = rest < open - discount ? rest : open - discount;
    rest -= amount;
    payments.set(invoice, amount + discount);
    parts.push({ invoice: invoice._id, amount: Number(amount), discount: Number(discount) });
    const less = discount === 0n ? "" : ` (-${show(discount)})`;
    texts.push(`${invoice.number} ${show(amount)}${less}`);
  }
  if (rest !== 0n) texts.push(`credit ${show(rest)}`);
  await meter.insert(
    ctx.db.insert("bookings", {
      iban: line.iban,
      day: line.day,
      amount: Number(line.amount),
      customer: customer._id,
      parts,
      credit: Number(rest),
    }),
  );
  await settle(ctx, meter, payments, customer, rest);
  return texts.join(", ");
}

/**
 * Whether the line is one that came before. As many lines of a statement are known as same ones of
 * other statements were not.
 */
async function isKnown(
  ctx: MutationCtx,
  meter: Meter,
  statement: Id<"statements">,
  line: Line,
): Promise<boolean> {
  const { day, iban, payer, purpose } = line;
  const amount = Number(line.amount);
  const repeat = await meter.one(
    ctx.db
      .query("repeats")
      .withIndex("by_content", (q) =>
        q
          .eq("day", day)
          .eq("iban", iban)
          .eq("amount", amount)
          .eq("payer", payer)
          .eq("purpose", purpose),
      )
      .unique(),
  );
  if (repeat !== null) {
    const left = repeat.statement === statement ? repeat.left : repeat.fresh;
    const changes = left > 0 ? { left: left - 1 } : { left: 0, fresh: repeat.fresh + 1 };
    await meter.change(ctx.db.patch("repeats", repeat._id, { statement, ...changes }));
    return left > 0;
  }
  const same = await meter.many(
    ctx.db
      .query("lines")
      .withIndex("by_content", (q) =>
        q
          .eq("day", day)
          .eq("iban", iban)
          .eq("amount", amount)
          .eq("payer", payer)
          .eq("purpose", purpose),
      )
      .take(2 * MANY_LINES),
  );
  const fresh = same.filter((other) => other.known !== true);
  const before = fresh.filter((other) => other.statement !== statement).length;
  const here = same.filter((other) => other.statement === statement).length;
  const known = here < before;
  if (same.length >= MANY_LINES) {
    await meter.insert(
      ctx.db.insert("repeats", {
        day,
        iban,
        amount,
        payer,
        purpose,
        fresh: fresh.length + (known ? 0 : 1),
        statement,
        left: Math.max(0, before - here - 1),
      }),
    );
  }
  return known;
}

/** Returns the amount, or `null` if the line has none or is known. */
async function bookRow(
  ctx: MutationCtx,
  meter: Meter,
  statement: Id<"statements">,
  row: Row,
): Promise<bigint | null> {
  if ("text" in row) {
    const { number, text } = row;
    await meter.insert(ctx.db.insert("lines", { statement, number, text }));
    return null;
  }
  const line: Line = { ...row, amount: BigInt(row.amount) };
  const known = await isKnown(ctx, meter, statement, line);
  const outcome = known ? "known" : await book(ctx, meter, line);
  const { number, day, iban, amount, payer, purpose } = line;
  const text = [
    String(number).padStart(4),
    showDay(day),
    show(amount).padStart(12),
    padRight(head(payer, 20), 20),
    outcome,
  ].join(" ");
  await meter.insert(
    ctx.db.insert("lines", {
      statement,
      number,
      text,
      day,
      iban,
      amount: Number(amount),
      payer,
      purpose,
      known,
    }),
  );
  return known ? null : amount;
}

/** Chunks are deleted when they are booked: the first one has the next rows. */
async function firstChunk(
  ctx: MutationCtx,
  meter: Meter,
  statement: Id<"statements">,
): Promise<Doc<"chunks"> | null> {
  return await meter.one(
    ctx.db
      .query("chunks")
      .withIndex("by_statement", (q) => q.eq("statement", statement))
      .first(),
  );
}

/** Books the next lines of a statement. */
export async function bookNext(ctx: MutationCtx, run: Doc<"runs">): Promise<void> {
  const { statement, stored } = run;
  if ((await ctx.db.get("statements", statement)) === null) {
    await endRun(ctx, run, "cancelled");
    return;
  }
  const meter = new Meter();
  let { booked, fresh } = run;
  let total = BigInt(run.total);
  let size = 0;
  let chunk = await firstChunk(ctx, meter, statement);
  while (booked < stored && booked < run.booked + MAX_LINES && meter.hasRoom()) {
    if (chunk === null) throw new Error("rows of the statement are missing");
    const row: Row | undefined = chunk.rows[booked - chunk.start];
    if (row === undefined) throw new Error("a row of the statement is missing");
    size += sizeOf(row);
    if (booked > run.booked && size > MAX_SIZE) break;
    const amount = await bookRow(ctx, meter, statement, row);
    booked += 1;
    if (amount !== null) {
      fresh += 1;
      total += amount;
    }
    if (booked === chunk.start + chunk.rows.length) {
      await meter.change(ctx.db.delete("chunks", chunk._id));
      chunk = await firstChunk(ctx, meter, statement);
    }
  }
  await ctx.db.patch("runs", run._id, {
    state: booked < stored ? "booking" : "done",
    booked,
    fresh,
    total: total.toString(),
  });
  await ctx.db.patch("statements", statement, {
    summary: `${String(fresh)} of ${String(booked)} new (${percent(fresh, booked)}), ${show(total)}`,
  });
}
