// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
// The constraints, foreign keys and triggers of the desk.

import type { WithoutSystemFields } from "convex/server";
import { ConvexError } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { byId, nextId, Table } from "./table";
import { fold, isInteger, numeric, plus, quotient, sum, type Value } from "./values";

export type Customer = WithoutSystemFields<Doc<"customers">>;
export type Rate = WithoutSystemFields<Doc<"rates">>;
export type Invoice = WithoutSystemFields<Doc<"invoices">>;
export type Line = WithoutSystemFields<Doc<"lines">>;
export type Instalment = WithoutSystemFields<Doc<"instalments">>;
export type Payment = WithoutSystemFields<Doc<"payments">>;
export type Reminder = WithoutSystemFields<Doc<"reminders">>;
export type Entry = WithoutSystemFields<Doc<"journal">>;
export type Sequence = WithoutSystemFields<Doc<"sequences">>;

export interface Desk {
  customers: Table<Customer, Id<"customers">>;
  rates: Table<Rate, Id<"rates">>;
  invoices: Table<Invoice, Id<"invoices">>;
  lines: Table<Line, Id<"lines">>;
  instalments: Table<Instalment, Id<"instalments">>;
  payments: Table<Payment, Id<"payments">>;
  reminders: Table<Reminder, Id<"reminders">>;
  journal: Table<Entry, Id<"journal">>;
  sequences: Table<Sequence, Id<"sequences">>;
}

/** What a statement does about a row that its table does not admit. */
export type OnConflict = "abort" | "ignore" | "replace";

export function must(condition: boolean, message: string): asserts condition {
  if (!condition) throw new ConvexError(message);
}

// All tables together, which hold at most a thousand rows each

async function open({ db }: MutationCtx): Promise<Desk> {
  const [customers, rates, invoices, lines, instalments, payments, reminders, journal, sequences] =
    await Promise.all([
      db.query("customers").collect(),
      db.query("rates").collect(),
      db.query("invoices").collect(),
      db.query("lines").collect(),
      db.query("instalments").collect(),
      db.query("payments").collect(),
      db.query("reminders").collect(),
      db.query("journal").collect(),
      db.query("sequences").collect(),
    ]);
  return {
    customers: new Table<Customer, Id<"customers">>(customers),
    rates: new Table<Rate, Id<"rates">>(rates),
    invoices: new Table<Invoice, Id<"invoices">>(invoices),
    lines: new Table<Line, Id<"lines">>(lines),
    instalments: new Table<Instalment, Id<"instalments">>(instalments),
    payments: new Table<Payment, Id<"payments">>(payments),
    reminders: new Table<Reminder, Id<"reminders">>(reminders),
    journal: new Table<Entry, Id<"journal">>(journal),
    sequences: new Table<Sequence, Id<"sequences">>(sequences),
  };
}

async function save({ db }: MutationCtx, desk: Desk): Promise<void> {
  await desk.customers.save({
    insert: (row) => db.insert("customers", row),
    patch: (key, fields) => db.patch("customers", key, fields),
    remove: (key) => db.delete("customers", key),
  });
  await desk.rates.save({
    insert: (row) => db.insert("rates", row),
    patch: (key, fields) => db.patch("rates", key, fields),
    remove: (key) => db.delete("rates", key),
  });
  await desk.invoices.save({
    insert: (row) => db.insert("invoices", row),
    patch: (key, fields) => db.patch("invoices", key, fields),
    remove: (key) => db.delete("invoices", key),
  });
  await desk.lines.save({
    insert: (row) => db.insert("lines", row),
    patch: (key, fields) => db.patch("lines", key, fields),
    remove: (key) => db.delete("lines", key),
  });
  await desk.instalments.save({
    insert: (row) => db.insert("instalments", row),
    patch: (key, fields) => db.patch("instalments", key, fields),
    remove: (key) => db.delete("instalments", key),
  });
  await desk.payments.save({
    insert: (row) => db.insert("payments", row),
    patch: (key, fields) => db.patch("payments", key, fields),
    remove: (key) => db.delete("payments", key),
  });
  await desk.reminders.save({
    insert: (row) => db.insert("reminders", row),
    patch: (key, fields) => db.patch("reminders", key, fields),
    remove: (key) => db.delete("reminders", key),
  });
  await desk.journal.save({
    insert: (row) => db.insert("journal", row),
    patch: (key, fields) => db.patch("journal", key, fields),
    remove: (key) => db.delete("journal", key),
  });
  await desk.sequences.save({
    insert: (row) => db.insert("sequences", row),
    patch: (key, fields) => db.patch("sequences", key, fields),
    remove: (key) => db.delete("sequences", key),
  });
}

/** A call that writes: `work` changes the desk in memory, or throws. */
export async function write<Result>(
  ctx: MutationCtx,
  work: (desk: Desk) => Result,
): Promise<Result> {
  const desk = await open(ctx);
  const result = work(desk);
  await save(ctx, desk);
  return result;
}

// Customers

export function customerByCode(desk: Desk, code: string): Customer | undefined {
  const folded = fold(code);
  return desk.customers.rows.find((customer) => fold(customer.code) === folded);
}

/** A name as the column takes it. Its length is counted in characters. */
export function nameOf(name: string | null): string {
  must(name !== null, "a customer needs a name");
  const length = [...name.replace(/^ +/, "").replace(/ +$/, "")].length;
  must(length >= 1 && length <= 40, "a name has 1 to 40 characters");
  return name;
}

/** Terms as the column takes them. */
export function termsOf(value: Value): number | null {
  const terms = numeric(value);
  if (terms === null) return null;
  must(typeof terms === "number" && terms >= 0 && terms <= 90, "terms are 0 to 90 days");
  return terms;
}

/** Checks a customer that has just been added or changed. */
export function checkCustomer(desk: Desk, customer: Customer): void {
  const others = desk.customers.rows.filter((other) => other !== customer);
  const code = fold(customer.code);
  nameOf(customer.name);
  must(!others.some((other) => fold(other.code) === code), "the code is taken");
  must(
    customer.email === null || !others.some((other) => other.email === customer.email),
    "the address is taken",
  );
  must(
    customer.parent === null || others.some((other) => other.id === customer.parent),
    "no such parent",
  );
}

export function removeCustomer(desk: Desk, customer: Customer): void {
  for (const invoice of desk.invoices.rows.filter((row) => row.customer === customer.id)) {
    removeInvoice(desk, invoice);
  }
  desk.customers.remove(customer);
  for (const child of desk.customers.rows.filter((row) => row.parent === customer.id)) {
    desk.customers.set(child, { parent: null });
  }
}

// Rates

export function findRate(desk: Desk, code: string | null): Rate | undefined {
  if (code === null) return undefined;
  const folded = fold(code);
  return desk.rates.rows.find((rate) => fold(rate.code) === folded);
}

/** What becomes of the lines that refer to a code which is gone. */
export function moveLines(desk: Desk, from: string, to: string | null): void {
  const folded = fold(from);
  const lines = desk.lines.rows.filter((line) => line.rate !== null && fold(line.rate) === folded);
  for (const line of lines) {
    desk.lines.set(line, { rate: to });
    lineChanged(desk, line);
  }
}

// Invoices

export function addInvoice(desk: Desk, customer: number, note: string | null): Invoice {
  must(byId(desk.customers, customer) !== undefined, "no such customer");
  must(
    !desk.invoices.rows.some((row) => row.customer === customer && row.state === "draft"),
    "the customer has a draft",
  );
  const sequence = desk.sequences.rows.find((row) => row.name === "invoices");
  const id = 1 + (sequence?.last ?? 0);
  if (sequence === undefined) desk.sequences.add({ name: "invoices", last: id });
  else desk.sequences.set(sequence, { last: id });
  const invoice: Invoice = {
    id,
    customer,
    number: null,
    issued: null,
    due: null,
    state: "draft",
    total: 0,
    paid: 0,
    note,
  };
  desk.invoices.add(invoice);
  return invoice;
}

/** Each statement that names the state counts anew what the customer owes, also if it stays. */
export function setState(
  desk: Desk,
  invoice: Invoice,
  fields: Partial<Invoice> & Pick<Invoice, "state">,
): void {
  desk.invoices.set(invoice, fields);
  const customer = byId(desk.customers, invoice.customer);
  if (customer === undefined) return;
  const rests = desk.invoices.rows
    .filter((row) => row.customer === customer.id && row.state === "open")
    .map((row) => plus(row.total, -row.paid));
  desk.customers.set(customer, { owed: sum(rests) ?? 0 });
}

/** With all that belongs to it. */
export function removeInvoice(desk: Desk, invoice: Invoice): void {
  must(invoice.number === null, "a number must not get lost");
  must(!desk.payments.rows.some((row) => row.invoice === invoice.id), "the invoice has payments");
  desk.invoices.remove(invoice);
  for (const line of desk.lines.rows.filter((row) => row.invoice === invoice.id)) {
    desk.lines.remove(line);
  }
  for (const part of desk.instalments.rows.filter((row) => row.invoice === invoice.id)) {
    desk.instalments.remove(part);
  }
  for (const reminder of desk.reminders.rows.filter((row) => row.invoice === invoice.id)) {
    desk.reminders.remove(reminder);
  }
}

// Lines

function taxOf(desk: Desk, line: Line): number | null {
  const rate = findRate(desk, line.rate);
  return rate === undefined ? null : quotient(line.quantity * line.price * rate.percent, 100);
}

export function addLine(desk: Desk, given: Omit<Line, "id" | "tax">): Line {
  const invoice = byId(desk.invoices, given.invoice);
  must(invoice !== undefined, "no such invoice");
  must(invoice.state === "draft", "the invoice is issued");
  must(given.quantity !== 0, "the quantity is missing");
  must(given.rate === null || findRate(desk, given.rate) !== undefined, "no such rate");
  const line: Line = { ...given, id: nextId(desk.lines), tax: null };
  line.tax = taxOf(desk, line);
  desk.lines.add(line);
  desk.invoices.set(invoice, {
    total: plus(invoice.total, line.quantity * line.price + (line.tax ?? 0)),
  });
  return line;
}

/** After a change of quantity, price or rate: lines without a tax do not count. */
export function lineChanged(desk: Desk, line: Line): void {
  desk.lines.set(line, { tax: taxOf(desk, line) });
  const invoice = byId(desk.invoices, line.invoice);
  if (invoice === undefined) return;
  const amounts = desk.lines.rows
    .filter((row) => row.invoice === invoice.id)
    .map((row) => plus(row.quantity * row.price, row.tax));
  desk.invoices.set(invoice, { total: sum(amounts) });
}

/** Here lines without a tax count, and of no lines the total is NULL. */
export function removeLine(desk: Desk, line: Line): void {
  desk.lines.remove(line);
  const invoice = byId(desk.invoices, line.invoice);
  if (invoice === undefined) return;
  const amounts = desk.lines.rows
    .filter((row) => row.invoice === invoice.id)
    .map((row) => row.quantity * row.price + (row.tax ?? 0));
  desk.invoices.set(invoice, { total: sum(amounts) });
}

// Payments

function addEntry(desk: Desk, entry: Omit<Entry, "id">, onConflict: OnConflict): void {
  const same =
    entry.ref === null
      ? undefined
      : desk.journal.rows.find((row) => row.kind === entry.kind && row.ref === entry.ref);
  const id = nextId(desk.journal);
  if (same !== undefined) {
    if (onConflict === "ignore") return;
    must(onConflict === "replace", "the journal has this entry");
    desk.journal.remove(same);
  }
  desk.journal.add({ ...entry, id });
}

/**
 * Gives `null` for a payment that is ignored.
 *
 * The statement's own way with conflicts goes for what its triggers do, too; only without one they
 * follow their own. A payment that is replaced vanishes without a trace: no trigger sees it.
 */
export function addPayment(
  desk: Desk,
  given: {
    invoice: number | null;
    ref: string | null;
    day: string | null;
    cents: Value;
    method: string | null;
  },
  onConflict: OnConflict,
): Payment | null {
  const { invoice: of, ref, day, method } = given;
  const cents = numeric(given.cents);
  if (day === null || !isInteger(cents) || cents === 0) {
    must(onConflict === "ignore", "not a payment");
    return null;
  }
  const same =
    ref === null || method === null
      ? undefined
      : desk.payments.rows.find((row) => row.ref === ref && row.method === method);
  if (same !== undefined && onConflict === "ignore") return null;
  must(same === undefined || onConflict === "replace", "the payment is known");
  const invoice = byId(desk.invoices, of);
  must(of === null || invoice !== undefined, "no such invoice");

  const payment: Payment = { id: nextId(desk.payments), invoice: of, ref, day, cents, method };
  if (same !== undefined) desk.payments.remove(same);
  desk.payments.add(payment);

  addEntry(
    desk,
    { kind: "payment", ref, day, cents },
    onConflict === "ignore" ? "ignore" : "replace",
  );
  if (invoice === undefined) return payment;
  const paid = invoice.paid + cents;
  if (paid >= 0) desk.invoices.set(invoice, { paid });
  else must(onConflict === "ignore", "more is paid back than was paid");
  if (invoice.state !== "draft" && invoice.state !== "void") {
    const settled = invoice.total !== null && invoice.paid >= invoice.total;
    setState(desk, invoice, { state: settled ? "paid" : "open" });
  }
  return payment;
}

export function removePayment(desk: Desk, payment: Payment): void {
  const { ref, day, cents } = payment;
  desk.payments.remove(payment);
  addEntry(desk, { kind: "removal", ref, day, cents: -cents }, "abort");
  const invoice = byId(desk.invoices, payment.invoice);
  if (invoice === undefined) return;
  // What was paid before the removal decides about the state.
  const stays =
    invoice.state !== "paid" || (invoice.total !== null && invoice.paid >= invoice.total);
  const paid = invoice.paid - cents;
  must(paid >= 0, "more is paid back than was paid");
  setState(desk, invoice, { paid, state: stays ? invoice.state : "open" });
}
