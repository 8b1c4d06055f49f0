// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"use node";

import * as crypto from "crypto";
import { promisify } from "util";

const scrypt = promisify<string, Buffer, number, crypto.ScryptOptions, Buffer>(crypto.scrypt);

export async function hashed(passphrase: string, salt: Buffer) {
  return await scrypt(passphrase, salt, 64, { cost: 2048, blockSize: 8, parallelization: 1 });
}

export function newSalt() {
  return crypto.randomBytes(16);
}

export function same(one: Buffer, other: Buffer) {
  return one.length === other.length && crypto.timingSafeEqual(one, other);
}
