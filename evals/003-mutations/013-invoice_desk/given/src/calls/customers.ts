// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { sql, type Call } from "../db";

/** `terms` is what was typed into the form. */
export const add: Call<{
  code: string;
  name: string;
  email: string | null;
  terms: string | null;
  parent: number | null;
}> = sql`
  INSERT INTO customers (code, name, email, terms, parent)
  VALUES (:code, :name, :email, :terms, :parent);
  SELECT id, code, terms FROM customers WHERE id = last_insert_rowid();
`;

/** Rows of the old address book. */
export const load: Call<{
  rows: { code: string; name: string | null; terms: number | string | null }[];
}> = sql`
  INSERT INTO customers (code, name, terms)
  SELECT json_extract(value, '$.code'), json_extract(value, '$.name'),
         json_extract(value, '$.terms')
    FROM json_each(:rows) WHERE true ORDER BY key
  ON CONFLICT (code) DO UPDATE
     SET name = excluded.name, terms = max(terms, excluded.terms)
   WHERE excluded.name <> name OR terms IS NULL;
  SELECT changes() AS changed;
`;

export const rename: Call<{ id: number; code: string; name: string | null }> = sql`
  UPDATE customers SET code = :code, name = coalesce(:name, name) WHERE id = :id;
  SELECT changes() AS changed;
`;

export const drop: Call<{ id: number }> = sql`
  DELETE FROM customers WHERE id = :id;
  SELECT changes() AS changed;
`;

export const merge: Call<{ from: number; into: number }> = sql`
  UPDATE invoices SET customer = :into WHERE customer = :from;
  UPDATE customers SET parent = :into WHERE parent = :from;
  UPDATE customers
     SET email = coalesce(email, (SELECT email FROM customers WHERE id = :from)),
         owed = owed + (SELECT owed FROM customers WHERE id = :from)
   WHERE id = :into;
  DELETE FROM customers WHERE id = :from;
  SELECT id, code, email, owed FROM customers WHERE id = :into;
`;

export const list: Call<Record<string, never>> = sql`
  SELECT id, code, name, email, terms, parent, owed FROM customers ORDER BY name, id;
`;

export const search: Call<{ text: string; limit: number; offset: number }> = sql`
  SELECT id, code, name FROM customers
   WHERE name LIKE '%' || :text || '%' OR code = :text OR email LIKE :text || '@%'
   ORDER BY code DESC LIMIT :offset, :limit;
`;
