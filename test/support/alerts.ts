import { expect } from "vitest";

import type { signUp } from "./client.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

/** Code of a component that has an account of an app. */
export const using = (app: string, type = "source") => `export default {
  name: "Using", version: "0.0.1", type: "${type}",
  props: { app: { type: "app", app: "${app}" }, ${type === "source" ? `http: "$.interface.http"` : ""} },
  run() {},
};`;

/** The fields to connect an account with. */
export const GITHUB = { app: "github", name: "Main", credentials: { api_key: "k" } };

/** A source with an account. */
export async function sourceWith(owner: Client, id: string, more: object = {}) {
  const configured_props = { app: { authProvisionId: id } };
  const app = (more as { app?: string }).app ?? "github";
  const { status, body } = await owner.post("/sources", {
    component_code: using(app),
    configured_props,
    ...more,
    app: undefined,
  });
  expect([status, body]).toEqual([200, expect.anything()]);
  return body.data as { id: string };
}

/** The alerts that a user sees, as kind, subject and whether they are over. */
export async function alertsOf(owner: Client, query = "") {
  const { body } = await owner.get(`/users/me/alerts${query}`);
  return body.data as { kind: string; subject: { id: string }; until: string | null }[];
}

/** The `$alerts` events of a source or a workflow, newest first. */
export async function alertEventsOf(owner: Client, path: string) {
  const { body } = await owner.get(`${path}/$alerts/event_summaries?expand=event`);
  return (body.data as { event: { recovered: boolean } }[]).map(({ event }) => event);
}
