// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import type { Row } from "./files";
import { changeInvoice } from "./invoices";
import { addDays, cut, fold, padRight, round, show } from "./python";

const DISCOUNT_DAYS = 10;
const WEEKS_8 = 56;
const READS_OF_A_CHANGE = 4;
const NUMBER =
  /(?<![\p{L}\p{N}_])(?:RE|INV)[-/ ]?(\d\d)[-/ ]?(\d{3,5})(?![\p{L}\p{N}_])/giu;

/** Books rows, and counts the documents that it reads. */
export class Booker {
  reads = 0;

  constructor(private readonly ctx: MutationCtx) {}

  /** Books a row, and returns whether it is a new line. */
  async bookRow(statement: Id<"statements">, row: Row): Promise<boolean> {
    const { unreadable, ...fields } = row;
    const start = `${String(row.number).padStart(4)} `;
    if (unreadable !== undefined) {
      const text = `${start}? ${unreadable}`;
      await this.ctx.db.insert("lines", { statement, number: row.number, text });
      return false;
    }
    const known = await this.isKnown(statement, row);
    const outcome = known ? "known" : await this.book(row);
    const [year, month, day] = row.day.split("-");
    const amount = show(row.amount).padStart(12);
    const payer = padRight(cut(row.payer, 20), 20);
    const text = `${start}${day}.${month}.${year} ${amount} ${payer} ${outcome}`;
    await this.ctx.db.insert("lines", { statement, ...fields, text, known });
    return !known;
  }

  private async isKnown(statement: Id<"statements">, row: Row): Promise<boolean> {
    const same = await this.ctx.db
      .query("lines")
      .withIndex("by_content", (q) =>
        q
          .eq("day", row.day)
          .eq("iban", row.iban)
          .eq("amount", row.amount)
          .eq("payer", row.payer)
          .eq("purpose", row.purpose),
      )
      .collect();
    this.reads += same.length;
    const earlier = same.filter((line) => line.statement !== statement && line.known !== true);
    const used = same.filter((line) => line.statement === statement && line.known === true);
    return used.length < earlier.length;
  }

  private async book(row: Row): Promise<string> {
    if (row.amount < 0) return await this.takeBack(row);
    if (row.amount === 0) return "-";
    const { ctx } = this;
    const named = await this.findNamed(row.purpose);
    const account = await ctx.db
      .query("accounts")
      .withIndex("by_iban", (q) => q.eq("iban", row.iban))
      .first();
    const id = account?.customer ?? (named.length > 0 ? named[0].customer : undefined);
    this.reads += 3;
    const customer = id === undefined ? null : await ctx.db.get("customers", id);
    if (customer === null) return "unknown";
    if (account === null && row.iban !== "" && fold(row.payer) === fold(customer.name)) {
      await ctx.db.insert("accounts", { iban: row.iban, customer: customer._id });
    }
    const open = named.filter((invoice) => invoice.open > 0);
    const targets = open.length > 0 ? open : await this.choose(customer._id, row);
    const parts: Doc<"bookings">["parts"] = [];
    const texts: string[] = [];
    let rest = row.amount;
    for (const invoice of targets) {
      if (rest === 0) break;
      let discount = discountOf(invoice, row.day);
      if (rest !== invoice.open - discount) discount = 0;
      const amount = Math.min(rest, invoice.open - discount);
      await changeInvoice(ctx, invoice._id, { paid: invoice.paid + amount + discount });
      this.reads += READS_OF_A_CHANGE;
      rest -= amount;
      parts.push({ invoice: invoice._id, amount, discount });
      const less = discount === 0 ? "" : ` (-${show(discount)})`;
      texts.push(`${invoice.number} ${show(amount)}${less}`);
    }
    const { iban, day, amount } = row;
    await ctx.db.insert("bookings", { iban, day, amount, customer: customer._id, parts, credit: rest });
    await this.addCredit(customer._id, rest);
    if (rest !== 0) texts.push(`credit ${show(rest)}`);
    return texts.join(", ");
  }

  private async findNamed(purpose: string): Promise<Doc<"invoices">[]> {
    const numbers = new Set<string>();
    for (const [, year, serial] of purpose.matchAll(NUMBER)) {
      numbers.add(`INV-${year}-${String(Number(serial)).padStart(5, "0")}`);
    }
    const named: Doc<"invoices">[] = [];
    for (const number of numbers) {
      const invoice = await this.ctx.db
        .query("invoices")
        .withIndex("by_number", (q) => q.eq("number", number))
        .first();
      this.reads += 1;
      if (invoice !== null) named.push(invoice);
    }
    return named;
  }

  private async choose(customer: Id<"customers">, row: Row): Promise<Doc<"invoices">[]> {
    const unpaid = await this.ctx.db
      .query("invoices")
      .withIndex("by_open", (q) => q.eq("customer", customer).gt("open", 0))
      .collect();
    this.reads += unpaid.length;
    unpaid.sort((left, right) => {
      const [one, other] = [left.due ?? "9999-12-31", right.due ?? "9999-12-31"];
      if (one !== other) return one < other ? -1 : 1;
      return left.number < right.number ? -1 : 1;
    });
    const exact = unpaid.find(
      (invoice) =>
        row.amount === invoice.open || row.amount === invoice.open - discountOf(invoice, row.day),
    );
    return exact === undefined ? unpaid : [exact];
  }

  private async takeBack(row: Row): Promise<string> {
    if (row.iban === "") return "unknown";
    const matching = await this.ctx.db
      .query("bookings")
      .withIndex("by_amount", (q) =>
        q
          .eq("iban", row.iban)
          .eq("amount", -row.amount)
          .gte("day", addDays(row.day, -WEEKS_8))
          .lte("day", row.day),
      )
      .collect();
    this.reads += matching.length;
    let latest: Doc<"bookings"> | undefined;
    for (const booking of matching) {
      if (booking.returned !== true && (latest === undefined || booking.day > latest.day)) {
        latest = booking;
      }
    }
    if (latest === undefined) return "unknown";
    await this.ctx.db.patch("bookings", latest._id, { returned: true });
    await this.addCredit(latest.customer, -(latest.credit ?? 0));
    const numbers: string[] = [];
    for (const part of latest.parts) {
      const invoice = await this.ctx.db.get("invoices", part.invoice);
      this.reads += READS_OF_A_CHANGE + 1;
      if (invoice === null) continue;
      const paid = invoice.paid - part.amount - part.discount;
      await changeInvoice(this.ctx, part.invoice, { paid });
      numbers.push(invoice.number);
    }
    return ["returned", ...numbers].join(" ");
  }

  private async addCredit(id: Id<"customers">, credit: number): Promise<void> {
    const customer = await this.ctx.db.get("customers", id);
    this.reads += 2;
    if (customer === null) return;
    await this.ctx.db.patch("customers", id, { credit: (customer.credit ?? 0) + credit });
  }
}

function discountOf(invoice: Doc<"invoices">, day: string): number {
  const days = invoice.discountDays || DISCOUNT_DAYS;
  if (!invoice.discount || invoice.paid !== 0 || day > addDays(invoice.issued, days)) return 0;
  return round((invoice.amount * invoice.discount) / 100);
}
