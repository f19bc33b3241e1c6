import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { newPerson, type Person, signIn } from "../../tools/browser/console.ts";
import { settled } from "../../tools/browser/pages.ts";
import { callAs, until } from "../../tools/browser/story/api.ts";
import { useStage, visit } from "../support/browser.ts";

/** Markup that would load, run or restyle if it became more than text. */
const MARKUP = `<img src=x onerror="document.title='run'"><script>document.title='run'</script><style>*{display:none}</style>`;
const SCRIPT_URL = "javascript:document.title='run'";

const CODE = `export default {
  name: ${JSON.stringify(MARKUP)}, version: "0.0.1", description: ${JSON.stringify(MARKUP)},
  props: { http: "$.interface.http", text: { type: "string", label: ${JSON.stringify(MARKUP)}, default: ${JSON.stringify(MARKUP)} } },
  run({ body }) {
    console.log(body.markup);
    this.$emit({ ...body, [body.markup]: 1 }, { id: body.markup, summary: body.markup, name: "other" });
    this.$emit(body, { summary: body.markup });
    throw new Error(body.markup);
  },
};`;

const stage = useStage();
let person: Person;
let paths: string[];

beforeAll(async () => {
  person = await newPerson(stage());
  const call = callAs(person);
  const source = await call("POST", "/sources", { component_code: CODE, name: MARKUP });
  const { id: webhook } = await call("POST", "/webhooks", {
    url: `${stage().target.url}/?${encodeURIComponent(MARKUP)}`,
    name: MARKUP,
    description: MARKUP,
  });
  await call("POST", "/subscriptions", { emitter_id: source.id, listener_id: webhook });
  const step = `export default { name: "Step", version: "0.0.1", type: "action", run({ steps, $ }) {
    console.log(steps.trigger.event.body.markup); $.export("markup", steps.trigger.event.body.markup);
    throw new Error(steps.trigger.event.body.markup); } };`;
  const workflow = await call("POST", "/workflows", {
    name: MARKUP,
    trigger: { type: "http" },
    steps: [{ name: "one", component_code: step }],
  });
  const body = JSON.stringify({ markup: MARKUP, url: SCRIPT_URL });
  const headers = { "content-type": "application/json", "x-markup": MARKUP };
  for (const url of [source.configured_props.http.endpoint_url, workflow.trigger.endpoint_url])
    await fetch(url, { method: "POST", headers, body });
  await until(async () => {
    const [run] = await call("GET", `/workflows/${workflow.id}/runs`);
    const [delivery] = await call("GET", `/webhooks/${webhook}/deliveries`);
    return run?.state === "failed" && delivery?.state === "delivered";
  }, "markup was delivered");
  const { id: project } = await call("POST", "/connect/projects", { name: MARKUP });
  const [event] = await call("GET", `/sources/${source.id}/event_summaries`);
  const [delivery] = await call("GET", `/webhooks/${webhook}/deliveries`);
  const { id: store } = await call("POST", "/data_stores", { name: MARKUP });
  await call("PUT", `/data_stores/${store}/records/one`, { value: { markup: MARKUP } });
  await call("POST", "/api_keys", { name: MARKUP });
  const [{ id: run }] = await call("GET", `/workflows/${workflow.id}/runs`);
  paths = [
    "",
    "sources",
    `sources/${source.id}`,
    `sources/${source.id}/errors`,
    `sources/${source.id}/logs`,
    `sources/${source.id}/code`,
    `sources/${source.id}/listeners`,
    `sources/${source.id}/configuration`,
    `sources/${source.id}?event=${event.id}`,
    "webhooks",
    `webhooks/${webhook}`,
    `webhooks/${webhook}/deliveries/${delivery.id}`,
    `webhooks/${webhook}/settings`,
    "workflows",
    `workflows/${workflow.id}`,
    `workflows/${workflow.id}/runs/${run}`,
    "connect",
    `connect/${project}`,
    `settings/data-stores/${store}?key=one`,
    "settings/keys",
  ];
});

/** The number of elements and effects that the markup caused. */
async function injectedInto(page: Page): Promise<number> {
  const injected = "img[src=x], main script, a[href^='javascript:' i], main style";
  return page.locator(injected).count();
}

test("markup in names, events, logs, errors and headers stays text on every page", async () => {
  const { page, context } = await visit(stage(), { api_key: person.apiKey });
  await signIn(context, { admin_token: stage().platform.adminToken });
  const shown = new Map<string, boolean>();
  for (const path of paths) {
    await page.goto(`/console/${path}`);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await settled(page);
    expect([path, await injectedInto(page), await page.title()]).toEqual([
      path,
      0,
      expect.not.stringMatching(/^run$/),
    ]);
    shown.set(path, (await page.locator("body").innerText()).includes("<img src=x"));
  }
  // A page without the markup would test nothing.
  expect([...shown].filter(([, isShown]) => !isShown).map(([path]) => path)).toEqual([""]);
});
