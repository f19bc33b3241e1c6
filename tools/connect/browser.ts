import assert from "node:assert/strict";

import type { Page } from "playwright-core";

import { newCustomer, setStage, type Stage } from "../browser/stage.ts";
import { call } from "../scripts/api.ts";
import { bundlePages } from "./browser-pages.ts";

const KEY = "signing-order";

/** An action that needs an account, lists options with its credentials and returns its account. */
const ACTION = `const app = {
  type: "app", app: "signing",
  methods: { token() { return this.$auth.oauth_access_token; } },
};
export default {
  key: ${JSON.stringify(KEY)}, name: "Order", version: "0.0.1", type: "action", description: "Orders something",
  props: {
    app,
    shelf: { type: "string", label: "Shelf", async options() { return this.app.token() ? ["Top", "Bottom"] : []; } },
    note: { type: "string", label: "Note" },
  },
  run() { return { shelf: this.shelf, note: this.note, signed: Boolean(this.app.token()) }; },
};`;

type Case = (page: Page) => Promise<void>;

/** Try the SDK's browser client and its React components, both in a folder. Returns the outcome of each case. */
export async function tryBrowser(folder: string): Promise<{ name: string; error?: string }[]> {
  const stage = await setStage();
  try {
    const { platform, product, origins } = stage;
    const operator = { url: platform.url.replace(/v1$/, "admin"), apiKey: platform.adminToken };
    await call(operator, "/registry", { component_code: ACTION });
    const constants = { PLATFORM: origins.platform, COMPONENT: KEY };
    const pages = await bundlePages(folder, constants);
    product.serveScript("/sdk", pages.sdk);
    product.serveScript("/react", pages.react);
    const results: { name: string; error?: string }[] = [];
    for (const [name, { path, run }] of Object.entries(CASES)) {
      const error = await failureOf(() => tryCase(stage, path, run));
      results.push({ name, ...(error !== undefined && { error }) });
    }
    return results;
  } finally {
    await stage.stop();
  }
}

async function failureOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "It threw no error";
  }
}

/** Each case has a separate customer and browser. */
async function tryCase(stage: Stage, path: string, run: Case): Promise<void> {
  const customer = await newCustomer(stage, "Plum");
  const browser = await stage.newBrowser();
  try {
    const page = await browser.newPage();
    const allowed = { allowed_origins: [stage.origins.product] };
    await page.exposeFunction("newToken", () => customer.newToken(allowed));
    await page.goto(`${stage.origins.product}${path}`);
    await run(page);
  } finally {
    await browser.close();
  }
}

/** The frame with the connect page. */
const frameOf = (page: Page) => page.frameLocator("iframe[src*='connect.html']");

/** The recorded callbacks of \`connectAccount\`, after the one for closing. */
async function notesOf(page: Page): Promise<[string, Record<string, unknown>][]> {
  await page.waitForFunction("noted.some(([name]) => name === 'close')");
  return page.evaluate("noted");
}

/** Open the provider's window, and answer there. */
async function answerAtProvider(page: Page, answer: "Allow" | "Deny"): Promise<void> {
  const opened = page.waitForEvent("popup");
  await frameOf(page).getByRole("button", { name: "Continue to Shop" }).click();
  const popup = await opened;
  await popup.getByText(answer).click();
}

async function connectAtProvider(page: Page): Promise<void> {
  await page.evaluate("connect('signing')");
  await answerAtProvider(page, "Allow");
  const noted = await notesOf(page);
  assert.deepEqual(
    noted.map(([name]) => name),
    ["success", "close"],
  );
  assert.match(String(noted[0]?.[1]["id"]), /^apn_/);
  assert.deepEqual(noted[1]?.[1], { successful: true, completed: true });
}

const CASES: Record<string, { path: string; run: Case }> = {
  "`connectAccount()`, at a provider": { path: "/sdk", run: connectAtProvider },
  "`connectAccount()`, by keys": {
    path: "/sdk",
    async run(page) {
      await page.evaluate("connect('typing')");
      await frameOf(page).getByLabel("Host").fill("store.example");
      await frameOf(page).getByLabel("API key").fill("key-1");
      await frameOf(page).getByRole("button", { name: "Connect Store" }).click();
      const noted = await notesOf(page);
      assert.deepEqual(noted[1], ["close", { successful: true, completed: true }]);
    },
  },
  "`connectAccount()`, denied: `onError`": {
    path: "/sdk",
    async run(page) {
      await page.evaluate("connect('signing')");
      await answerAtProvider(page, "Deny");
      await page.waitForFunction("noted.some(([name]) => name === 'error')");
      await frameOf(page).getByRole("button", { name: "Close" }).first().click();
      const noted = await notesOf(page);
      assert.match(JSON.stringify(noted[0]), /was not given permission/);
      assert.deepEqual(noted[1], ["close", { successful: false, completed: true }]);
    },
  },
  "`connectAccount()`, closed: `onClose`": {
    path: "/sdk",
    async run(page) {
      await page.evaluate("connect('signing')");
      await frameOf(page).getByRole("button", { name: "Close" }).click();
      const noted = await notesOf(page);
      assert.deepEqual(noted, [["close", { successful: false, completed: false }]]);
    },
  },
  "calls with a connect token: `accounts`, `apps`, `components`, `actions.run`": {
    path: "/sdk",
    async run(page) {
      await connectAtProvider(page);
      const account = await page.evaluate<string>(
        "client.accounts.list({ externalUserId: 'ada' }).then(({ data }) => data[0].id)",
      );
      assert.match(account, /^apn_/);
      const name = "client.apps.retrieve('signing').then(({ data }) => data.name)";
      assert.equal(await page.evaluate(name), "Shop");
      const key = `client.components.retrieve('${KEY}').then(({ data }) => data.key)`;
      assert.equal(await page.evaluate(key), KEY);
      const run = `client.actions.run({ id: '${KEY}', externalUserId: 'ada',
        configuredProps: { app: { authProvisionId: '${account}' }, shelf: 'Top', note: 'n' } })`;
      const { ret } = await page.evaluate<{ ret: unknown }>(run);
      assert.deepEqual(ret, { shelf: "Top", note: "n", signed: true });
    },
  },
  "`connect-react`: a form that connects an account, lists options and submits": {
    path: "/react",
    async run(page) {
      await page.getByRole("button", { name: /connect/i }).click();
      await answerAtProvider(page, "Allow");
      await page.getByRole("combobox").last().click();
      await page.getByText("Bottom", { exact: true }).click();
      await page.getByLabel("Note").fill("n");
      await page.getByRole("button", { name: /submit/i }).click();
      await page.waitForFunction("globalThis.submitted !== undefined");
      const submitted = await page.evaluate<Record<string, unknown>>("submitted");
      assert.match(JSON.stringify(submitted["app"]), /apn_/);
      assert.match(JSON.stringify(submitted["shelf"]), /Bottom/);
    },
  },
};
