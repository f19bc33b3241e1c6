import { expect } from "vitest";

import type { Id } from "#domain/ids.ts";

import { signUp } from "./client.ts";
import { code, runOnce } from "./workflow.ts";

/** A step that returns a text. */
export const stepOf = (value: string) => ({
  name: "one",
  component_code: code(`return "${value}"`),
});

/** A workflow of a user with an HTTP trigger, as its first version. */
export async function deployVersioned(fields: object = {}) {
  const ada = await signUp();
  const { status, body } = await ada.post("/workflows", {
    name: "Flow",
    trigger: { type: "http" },
    steps: [stepOf("first")],
    ...fields,
  });
  expect([status, body.data?.version]).toEqual([200, 1]);
  const { id, trigger } = body.data;
  const path = `/workflows/${id}`;
  const numbers = async () =>
    (await ada.get(`${path}/versions?limit=100`)).body.data.map(
      ({ version }: { version: number }) => version,
    );
  const run = () => runOnce({ user: ada, id, url: trigger.endpoint_url });
  const returned = async () => (await run()).steps[0].exports.$return_value;
  return { ada, id: id as Id<"workflow">, path, numbers, run, returned, created: body.data };
}
