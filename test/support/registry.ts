import { expect } from "vitest";

import type { signUp } from "./client.ts";

type Caller = Awaited<ReturnType<typeof signUp>>;

let count = 0;

/** A key that no other test uses. */
export function newKey(): string {
  count += 1;
  return `registry-${count}-${crypto.randomUUID().slice(0, 8)}`;
}

/** Code of an action that returns its version. */
export function codeOf(key: string, version: string, more = ""): string {
  const about = JSON.stringify({ key, name: `Of ${version}`, version, type: "action" }).slice(
    1,
    -1,
  );
  return `export default {\n  ${about},\n  ${more}\n  run() { return "${version}"; },\n};\n`;
}

/** Publish code, and expect success. Returns the component. */
export async function published(by: Pick<Caller, "post">, code: string, more: object = {}) {
  const { status, body } = await by.post("/registry", { component_code: code, ...more });
  expect([status, body]).toEqual([200, expect.anything()]);
  return body.data;
}

/** The id of a user's component with the key, otherwise the status of the response. */
export async function idOfKey(by: Caller, key: string, query = ""): Promise<string | number> {
  const { status, body } = await by.get(`/components/${encodeURIComponent(key)}${query}`);
  return status === 200 ? body.data.id : status;
}

/** The statuses of responses, sorted numerically. */
export const statuses = (answers: { status: number }[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);
