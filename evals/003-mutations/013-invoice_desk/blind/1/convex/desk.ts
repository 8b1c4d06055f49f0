// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
// The desk's tables in memory, for the length of one mutation, with what the schema of the SQLite
// file did by itself: constraints, foreign keys and triggers.

import { ConvexError } from "convex/values";
import type { Id } from "./_generated/dataModel";
import type { MutationCtx } from "./_generated/server";
import type {
  Customer,
  Instalment,
  Invoice,
  InvoiceState,
  JournalEntry,
  Line,
  Payment,
  Rate,
  Reminder,
  Sequence,
} from "./schema";
import { divide, minus, plain, sameText, sum, trimmedLength } from "./sqlite";

// Tables

interface Store<Key, Row> {
  insert: (row: Row) => Promise<unknown>;
  replace: (key: Key, row: Row) => Promise<unknown>;
  remove: (key: Key) => Promise<unknown>;
}

interface Stored<Key, Row> {
  key: Key;
  row: Row;
}

/** Rows that are changed in place; `save` writes what has become different. */
export class Table<Key, Row extends object> {
  readonly rows: Row[];
  private readonly stored: (Stored<Key, Row> & { before: string })[];
  private readonly store: Store<Key, Row>;

  constructor(stored: Stored<Key, Row>[], store: Store<Key, Row>) {
    this.rows = stored.map(({ row }) => row);
    this.stored = stored.map(({ key, row }) => ({ key, row, before: JSON.stringify(row) }));
    this.store = store;
  }

  remove(row: Row): void {
    const at = this.rows.indexOf(row);
    if (at >= 0) this.rows.splice(at, 1);
  }

  async save(): Promise<void> {
    const left = new Set(this.rows);
    for (const { key, row, before } of this.stored) {
      if (!left.delete(row)) await this.store.remove(key);
      else if (JSON.stringify(row) !== before) await this.store.replace(key, row);
    }
    for (const row of left) await this.store.insert(row);
  }
}

async function openDesk(db: MutationCtx["db"]) {
  const [
    customers,
    rates,
    invoices,
    lines,
    instalments,
    payments,
    reminders,
    journal,
    sequences,
  ] = await Promise.all([
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
    customers: new Table<Id<"customers">, Customer>(
      customers.map(({ _id: key, id, code, name, email, terms, parent, owed }) => ({
        key,
        row: { id, code, name, email, terms, parent, owed },
      })),
      {
        insert: (row) => db.insert("customers", row),
        replace: (key, row) => db.replace("customers", key, row),
        remove: (key) => db.delete("customers", key),
      },
    ),
    rates: new Table<Id<"rates">, Rate>(
      rates.map(({ _id: key, code, percent }) => ({ key, row: { code, percent } })),
      {
        insert: (row) => db.insert("rates", row),
        replace: (key, row) => db.replace("rates", key, row),
        remove: (key) => db.delete("rates", key),
      },
    ),
    invoices: new Table<Id<"invoices">, Invoice>(
      invoices.map(
        ({ _id: key, id, customer, number, issued, due, state, total, paid, note }) => ({
          key,
          row: { id, customer, number, issued, due, state, total, paid, note },
        }),
      ),
      {
        insert: (row) => db.insert("invoices", row),
        replace: (key, row) => db.replace("invoices", key, row),
        remove: (key) => db.delete("invoices", key),
      },
    ),
    lines: new Table<Id<"lines">, Line>(
      lines.map(({ _id: key, id, invoice, text, quantity, price, rate, tax }) => ({
        key,
        row: { id, invoice, text, quantity, price, rate, tax },
      })),
      {
        insert: (row) => db.insert("lines", row),
        replace: (key, row) => db.replace("lines", key, row),
        remove: (key) => db.delete("lines", key),
      },
    ),
    instalments: new Table<Id<"instalments">, Instalment>(
      instalments.map(({ _id: key, invoice, position, due, cents }) => ({
        key,
        row: { invoice, position, due, cents },
      })),
      {
        insert: (row) => db.insert("instalments", row),
        replace: (key, row) => db.replace("instalments", key, row),
        remove: (key) => db.delete("instalments", key),
      },
    ),
    payments: new Table<Id<"payments">, Payment>(
      payments.map(({ _id: key, id, invoice, ref, day, cents, method }) => ({
        key,
        row: { id, invoice, ref, day, cents, method },
      })),
      {
        insert: (row) => db.insert("payments", row),
        replace: (key, row) => db.replace("payments", key, row),
        remove: (key) => db.delete("payments", key),
      },
    ),
    reminders: new Table<Id<"reminders">, Reminder>(
      reminders.map(({ _id: key, invoice, level, sent, fee, times }) => ({
        key,
        row: { invoice, level, sent, fee, times },
      })),
      {
        insert: (row) => db.insert("reminders", row),
        replace: (key, row) => db.replace("reminders", key, row),
        remove: (key) => db.delete("reminders", key),
      },
    ),
    journal: new Table<Id<"journal">, JournalEntry>(
      journal.map(({ _id: key, id, kind, ref, day, cents }) => ({
        key,
        row: { id, kind, ref, day, cents },
      })),
      {
        insert: (row) => db.insert("journal", row),
        replace: (key, row) => db.replace("journal", key, row),
        remove: (key) => db.delete("journal", key),
      },
    ),
    sequences: new Table<Id<"sequences">, Sequence>(
      sequences.map(({ _id: key, last }) => ({ key, row: { last } })),
      {
        insert: (row) => db.insert("sequences", row),
        replace: (key, row) => db.replace("sequences", key, row),
        remove: (key) => db.delete("sequences", key),
      },
    ),
  };
}

export type Desk = Awaited<ReturnType<typeof openDesk>>;

/** Does the work of a call in memory, and then writes what it changed. */
export async function atDesk<Result>(
  ctx: MutationCtx,
  work: (desk: Desk) => Result,
): Promise<Result> {
  const desk = await openDesk(ctx.db);
  const result = work(desk);
  await desk.customers.save();
  await desk.rates.save();
  await desk.invoices.save();
  await desk.lines.save();
  await desk.instalments.save();
  await desk.payments.save();
  await desk.reminders.save();
  await desk.journal.save();
  await desk.sequences.save();
  return result;
}

/** What a rowid is given: the highest is taken again when it was deleted. */
export function nextId(rows: readonly { id: number }[]): number {
  return highest(rows) + 1;
}

function highest(rows: readonly { id: number }[]): number {
  let result = 0;
  for (const { id } of rows) if (id > result) result = id;
  return result;
}

export function byId<Row extends { id: number }>(
  table: { rows: readonly Row[] },
  id: number,
): Row | undefined {
  return table.rows.find((row) => row.id === id);
}

// Customers

export function checkName(name: string): void {
  const length = trimmedLength(name);
  if (length < 1 || length > 40) throw new ConvexError("a name has 1 to 40 characters");
}

export function deleteCustomer(desk: Desk, customer: Customer): void {
  desk.customers.remove(customer);
  for (const child of desk.customers.rows) {
    if (child.parent === customer.id) child.parent = null;
  }
  const invoices = desk.invoices.rows.filter((row) => row.customer === customer.id);
  for (const invoice of invoices) deleteInvoice(desk, invoice);
}

// Invoices

export function addDraft(desk: Desk, customer: number, note: string | null): Invoice {
  if (byId(desk.customers, customer) === undefined) throw new ConvexError("no such customer");
  if (desk.invoices.rows.some((row) => row.customer === customer && row.state === "draft")) {
    throw new ConvexError("the customer has a draft");
  }
  let sequence = desk.sequences.rows[0];
  if (sequence === undefined) {
    sequence = { last: 0 };
    desk.sequences.rows.push(sequence);
  }
  sequence.last = Math.max(sequence.last, highest(desk.invoices.rows)) + 1;
  const invoice: Invoice = {
    id: sequence.last,
    customer,
    number: null,
    issued: null,
    due: null,
    state: "draft",
    total: 0,
    paid: 0,
    note,
  };
  desk.invoices.rows.push(invoice);
  return invoice;
}

export function setState(desk: Desk, invoice: Invoice, state: InvoiceState): void {
  invoice.state = state;
  // owed_follows
  const customer = byId(desk.customers, invoice.customer);
  if (customer === undefined) return;
  const open = desk.invoices.rows.filter(
    (row) => row.customer === invoice.customer && row.state === "open",
  );
  customer.owed = sum(open.map((row) => minus(row.total, row.paid))) ?? 0;
}

export function deleteInvoice(desk: Desk, invoice: Invoice): void {
  // numbers_stay
  if (invoice.number !== null) throw new ConvexError("a number must not get lost");
  if (desk.payments.rows.some((row) => row.invoice === invoice.id)) {
    throw new ConvexError("the invoice has payments");
  }
  desk.invoices.remove(invoice);
  for (const row of desk.lines.rows.filter((line) => line.invoice === invoice.id)) {
    desk.lines.remove(row);
  }
  for (const row of desk.instalments.rows.filter((part) => part.invoice === invoice.id)) {
    desk.instalments.remove(row);
  }
  for (const row of desk.reminders.rows.filter((sent) => sent.invoice === invoice.id)) {
    desk.reminders.remove(row);
  }
}

// Lines

function findRate(desk: Desk, code: string): Rate | undefined {
  return desk.rates.rows.find((rate) => sameText(rate.code, code));
}

export function checkRate(desk: Desk, code: string | null): void {
  if (code !== null && findRate(desk, code) === undefined) throw new ConvexError("no such rate");
}

function taxOf(desk: Desk, line: Pick<Line, "quantity" | "price" | "rate">): number | null {
  const rate = line.rate === null ? undefined : findRate(desk, line.rate);
  return rate === undefined ? null : divide(line.quantity * line.price * rate.percent, 100);
}

export function addLine(desk: Desk, values: Omit<Line, "id" | "tax">): Line {
  const invoice = byId(desk.invoices, values.invoice);
  if (invoice === undefined) throw new ConvexError("no such invoice");
  // lines_of_drafts
  if (invoice.state !== "draft") throw new ConvexError("the invoice is issued");
  if (values.quantity === 0) throw new ConvexError("a quantity must not be 0");
  checkRate(desk, values.rate);
  const line: Line = {
    id: nextId(desk.lines.rows),
    invoice: values.invoice,
    text: values.text,
    quantity: values.quantity,
    price: plain(values.price),
    rate: values.rate,
    tax: null,
  };
  desk.lines.rows.push(line);
  // lines_added
  line.tax = taxOf(desk, line);
  if (invoice.total !== null) {
    invoice.total = plain(invoice.total + line.quantity * line.price + (line.tax ?? 0));
  }
  return line;
}

/** lines_changed: after a change of quantity, price or rate. */
export function lineChanged(desk: Desk, line: Line): void {
  line.tax = taxOf(desk, line);
  const invoice = byId(desk.invoices, line.invoice);
  if (invoice === undefined) return;
  // A line without a tax counts for nothing here.
  invoice.total = sum(
    desk.lines.rows
      .filter((row) => row.invoice === line.invoice)
      .map((row) => (row.tax === null ? null : row.quantity * row.price + row.tax)),
  );
}

export function deleteLine(desk: Desk, line: Line): void {
  desk.lines.remove(line);
  // lines_removed
  const invoice = byId(desk.invoices, line.invoice);
  if (invoice === undefined) return;
  invoice.total = sum(
    desk.lines.rows
      .filter((row) => row.invoice === line.invoice)
      .map((row) => row.quantity * row.price + (row.tax ?? 0)),
  );
}

/** What a foreign key does to the lines of a rate: renamed, or set to NULL. */
export function resetRate(desk: Desk, from: string, to: string | null): void {
  const lines = desk.lines.rows.filter((row) => row.rate !== null && sameText(row.rate, from));
  for (const line of lines) {
    line.rate = to;
    lineChanged(desk, line);
  }
}

// Payments

/** The conflict clause of the statement, which its triggers take over: `abort` is none. */
export type Policy = "abort" | "ignore" | "replace";

/** Gives `null` where the payment was ignored. */
export function addPayment(
  desk: Desk,
  values: Omit<Payment, "id">,
  policy: Policy,
): Payment | null {
  const { invoice, ref, day, cents, method } = values;
  if (cents === 0) {
    if (policy === "ignore") return null;
    throw new ConvexError("an amount must not be 0");
  }
  const twin =
    ref === null || method === null
      ? undefined
      : desk.payments.rows.find((row) => row.ref === ref && row.method === method);
  if (twin !== undefined) {
    if (policy === "ignore") return null;
    if (policy === "abort") throw new ConvexError("the payment is known");
  }
  if (invoice !== null && byId(desk.invoices, invoice) === undefined) {
    throw new ConvexError("no such invoice");
  }
  const payment: Payment = {
    id: nextId(desk.payments.rows),
    invoice,
    ref,
    day,
    cents,
    method,
  };
  // What is replaced goes without payments_removed.
  if (twin !== undefined) desk.payments.remove(twin);
  desk.payments.rows.push(payment);
  paymentAdded(desk, payment, policy);
  return payment;
}

/** payments_added */
function paymentAdded(desk: Desk, payment: Payment, policy: Policy): void {
  const { ref, day, cents } = payment;
  const twin =
    ref === null
      ? undefined
      : desk.journal.rows.find((row) => row.kind === "payment" && row.ref === ref);
  if (twin === undefined || policy !== "ignore") {
    const id = nextId(desk.journal.rows);
    if (twin !== undefined) desk.journal.remove(twin);
    desk.journal.rows.push({ id, kind: "payment", ref, day, cents });
  }

  const invoice = payment.invoice === null ? undefined : byId(desk.invoices, payment.invoice);
  if (invoice === undefined) return;
  const paid = plain(invoice.paid + cents);
  if (paid >= 0) invoice.paid = paid;
  else if (policy !== "ignore") throw new ConvexError("less than nothing would be paid");
  if (invoice.state !== "draft" && invoice.state !== "void") {
    const isPaid = invoice.total !== null && invoice.paid >= invoice.total;
    setState(desk, invoice, isPaid ? "paid" : "open");
  }
}

export function deletePayment(desk: Desk, payment: Payment): void {
  const { ref, day, cents } = payment;
  desk.payments.remove(payment);
  // payments_removed
  if (
    ref !== null &&
    desk.journal.rows.some((row) => row.kind === "removal" && row.ref === ref)
  ) {
    throw new ConvexError("a payment of this reference was removed before");
  }
  desk.journal.rows.push({
    id: nextId(desk.journal.rows),
    kind: "removal",
    ref,
    day,
    cents: plain(-cents),
  });
  const invoice = payment.invoice === null ? undefined : byId(desk.invoices, payment.invoice);
  if (invoice === undefined) return;
  // The state is decided by what was paid before.
  const stays =
    invoice.state !== "paid" || (invoice.total !== null && invoice.paid >= invoice.total);
  const paid = plain(invoice.paid - cents);
  if (paid < 0) throw new ConvexError("less than nothing would be paid");
  invoice.paid = paid;
  setState(desk, invoice, stays ? invoice.state : "open");
}
