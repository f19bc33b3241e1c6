import { createMiddleware } from "hono/factory";

import { RequestError } from "../domain/errors.ts";
import { ownerOfKey } from "../services/keys.ts";
import type { AppEnv } from "./env.ts";

/** Resolve `Authorization: Bearer <key>` to the acting user, and open the context of the request. */
export const authenticate = createMiddleware<AppEnv>(async (c, next) => {
  const key = bearerOf(c.req.header("Authorization"));
  const actor = key && (await ownerOfKey(c.var.platform.db, key));
  if (!actor) throw new RequestError("unauthorized", "A valid API key is required");
  c.set("context", { ...c.var.platform, actor });
  await next();
});

/** Let only the operator through, who knows `ADMIN_TOKEN`. Where none is set, nobody does. */
export const authenticateOperator = createMiddleware<AppEnv>(async (c, next) => {
  const token = bearerOf(c.req.header("Authorization"));
  const known = c.env.ADMIN_TOKEN;
  if (!token || !known || !(await areEqual(token, known)))
    throw new RequestError("unauthorized", "The admin token is required");
  await next();
});

function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
}

/** Digests have one length, so that how long comparing takes tells nothing about either text. */
async function areEqual(a: string, b: string): Promise<boolean> {
  const [left, right] = await Promise.all([a, b].map(digest));
  return left !== undefined && right !== undefined && crypto.subtle.timingSafeEqual(left, right);
}

function digest(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
}
