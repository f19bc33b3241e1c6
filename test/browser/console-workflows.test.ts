import { expect, test } from "vitest";

import { newPerson } from "../../tools/browser/console.ts";
import { callAs, post, until } from "../../tools/browser/story/api.ts";
import { useStage, visit } from "../support/browser.ts";

const step = (body: string) => `export default { name: "Step", version: "0.0.1", type: "action",
  async run({ steps, $ }) { ${body} } };`;

const STEPS = [
  { name: "check", component_code: step(`console.log("checked"); return { shelf: "A7" };`) },
  {
    name: "book",
    component_code:
      step(`if (!steps.trigger.event.body.country) throw new Error("No country to ship to");
      return { carrier: "Kite" };`),
  },
];

const WAITING = [
  {
    name: "wait",
    component_code: step(`if ($.context.run.runs > 1) return "went on"; $.flow.suspend(60000);`),
  },
];

const stage = useStage();

/** A user's workflow, run once with an event. */
async function ran(steps: object[], event: object, state: string) {
  const person = await newPerson(stage());
  const call = callAs(person);
  const fields = { name: "Fulfil", trigger: { type: "http" }, steps };
  const { id, trigger } = await call("POST", "/workflows", fields);
  await post(trigger.endpoint_url, event);
  const runs = () => call("GET", `/workflows/${id}/runs`);
  await until(async () => (await runs())[0]?.state === state, `the run was ${state}`);
  const [{ id: run }] = await runs();
  const { page } = await visit(stage(), { api_key: person.apiKey });
  return { page, call, id: String(id), run: String(run), runs };
}

test("the page shows a failed run step by step, and reruns it from the failed step", async () => {
  const { page, call, id, run, runs } = await ran(STEPS, { id: 1 }, "failed");
  await page.goto(`/console/workflows/${id}`);
  await page.locator(`a[href*="${run}"]`).first().click();
  await page.getByText("No country to ship to").first().waitFor();
  await page.getByRole("link", { name: /check/ }).click();
  await page.getByText("A7").first().waitFor();
  await page.getByText("checked").first().waitFor();
  await page.reload();
  await page.getByText("A7").first().waitFor();
  await call("PUT", `/workflows/${id}`, {
    steps: [STEPS[0], { name: "book", component_code: step(`return { carrier: "Kite" };`) }],
  });
  await page.getByRole("button", { name: "From a step" }).click();
  await page.getByRole("menuitem", { name: "book" }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(run));
  await expect.poll(runs).toMatchObject([{ state: "succeeded", rerun_of: run }, {}]);
  await page
    .getByText("Kite")
    .or(page.getByRole("link", { name: /book/ }))
    .first()
    .waitFor();
});

test("a user runs a workflow on a custom event", async () => {
  const { page, id, runs } = await ran(STEPS, { country: "AT" }, "succeeded");
  await page.goto(`/console/workflows/${id}`);
  await page.getByRole("button", { name: "Run now" }).click();
  await page.getByRole("textbox", { name: "Event" }).fill(`{"body": {"country": "PT"}}`);
  await page.getByRole("dialog").getByRole("button", { name: "Run", exact: true }).click();
  await page.waitForURL("**/runs/**");
  await expect.poll(runs).toMatchObject([{ state: "succeeded", source_type: "manual" }, {}]);
  await page.getByText("Succeeded", { exact: false }).first().waitFor();
});

test("a user resumes a waiting run, and cancels another after a question", async () => {
  const { page, call, id, run } = await ran(WAITING, {}, "waiting");
  const state = async () => (await call("GET", `/workflows/${id}/runs/${run}`)).state;
  await page.goto(`/console/workflows/${id}/runs/${run}`);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
  await expect.poll(state).toBe("succeeded");

  const other = await call("POST", `/workflows/${id}/runs`, { event: {} });
  const otherState = async () => (await call("GET", `/workflows/${id}/runs/${other.id}`)).state;
  await expect.poll(otherState).toBe("waiting");
  await page.goto(`/console/workflows/${id}/runs/${other.id}`);
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel the run" }).click();
  await expect.poll(otherState).toBe("cancelled");
});

const EMITTING = [
  {
    name: "refuse",
    component_code: step(
      `$.send.emit({ raw_event: { refund: 7 } }); $.send.emit({ raw_event: "booked", event_name: "ledger" });
      throw new Error("No account to refund");`,
    ),
  },
];

/** The events as the list shows them. */
const [REFUND, BOOKED] = [`{"raw_event":{"refund":7}}`, `{"raw_event":"booked"}`];

test("the search leads to an event of a workflow by its id, which the page shows live, by channel", async () => {
  const { page, call, id, run } = await ran(EMITTING, {}, "failed");
  const errors = () => call("GET", `/workflows/${id}/$errors/event_summaries`);
  await until(async () => (await errors()).length === 1, "the error was stored");
  const [{ id: error }] = await errors();
  await page.goto(`/console/workflows/${id}/events`);
  await page.getByText("Live", { exact: true }).waitFor();
  const events = page.locator("[data-event]");
  await expect.poll(() => events.allInnerTexts()).toEqual([BOOKED, REFUND]);
  await call("POST", `/workflows/${id}/runs`, { event: {} });
  await expect.poll(() => events.count()).toBe(4);
  await page.getByRole("link", { name: REFUND }).last().click();
  await page.getByText("Event id").waitFor();
  await page.reload();
  await page.getByText("Event id").waitFor();
  await page.getByLabel("Channel", { exact: true }).click();
  await page.getByRole("option", { name: "ledger" }).click();
  await expect.poll(() => events.allInnerTexts()).toEqual([BOOKED, BOOKED]);

  await page.keyboard.press("Control+k");
  await page.getByPlaceholder(/search/i).fill(error);
  await page
    .getByRole("option", { name: /Fulfil/ })
    .first()
    .click();
  await page.getByRole("link", { name: "Open the run" }).click();
  await page.waitForURL(`**/workflows/${id}/runs/${run}`);
  await page.getByText("No account to refund").first().waitFor();
});

test("the editor validates a definition during typing, and each change creates a version", async () => {
  const { page, call, id } = await ran(STEPS, { country: "AT" }, "succeeded");
  await page.goto(`/console/workflows/${id}/definition`);
  const editor = page.getByRole("textbox", { name: "Definition" });
  await editor.waitFor();
  const definition = { name: "Fulfil faster", trigger: { type: "http" }, steps: STEPS };
  await editor.fill(JSON.stringify({ ...definition, trigger: { type: "moon" } }));
  await page
    .getByRole("status")
    .filter({ hasText: /Line \d+/ })
    .first()
    .waitFor();
  expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
  await editor.fill(JSON.stringify(definition, null, 2));
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Fulfil faster", level: 1 }).waitFor();
  expect(await call("GET", `/workflows/${id}`)).toMatchObject({ version: 2 });
});
