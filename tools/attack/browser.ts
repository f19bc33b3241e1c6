import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { BrowserContext } from "playwright-core";

import { launchBrowser } from "../browser/chromium.ts";
import { freePort } from "../scripts/local/ports.ts";
import { startPlatform } from "../scripts/platform.ts";
import { hostilePage } from "./hostile-page.ts";
import { type Attack, deploy, endpoint, hold, newTenant, send, type World } from "./world.ts";

const SECRET = "the-key-that-was-typed-here";

/** Responses that can carry a page: browsers run script in all of these. */
const PAGES = [
  { status: 200, type: "text/html" },
  { status: 500, type: "text/html" },
  { status: 404, type: "application/xhtml+xml" },
];

export const browser: Attack[] = [
  {
    name: "pages of endpoints reach nothing of the API's origin in a real browser",
    run: (world) => attackFrom(world, world.origin),
  },
  {
    name: "pages of endpoints on a separate origin reach nothing of the API's in a real browser",
    async run() {
      const stateDir = await mkdtemp(join(tmpdir(), "wellspring-attack-"));
      const port = await freePort();
      const events = `http://localhost:${port}`;
      const variables = { EVENTS_URL: events, LOG_LEVEL: "silent" };
      const platform = await startPlatform({ stateDir, port, variables });
      try {
        const { status } = await send(`${events}/docs/api`);
        hold(status === 404, `The origin of endpoints serves a page with a key input: ${status}`);
        await attackFrom({ platform, stateDir, origin: new URL(platform.url).origin }, events);
      } finally {
        await platform.stop();
        await rm(stateDir, { recursive: true, force: true });
      }
    },
  },
];

/** A user types a key on the API's origin, and then opens pages of endpoints, on the same origin or another one. */
async function attackFrom(world: World, events: string): Promise<void> {
  const [ada, eve] = [await newTenant(world), await newTenant(world)];
  const { url } = await deploy(eve, endpoint(ANSWER(world.origin), { isCustom: true }));
  hold(url.startsWith(events), `The endpoint lies at ${url}`);
  const chromium = await launchBrowser();
  try {
    const context = await chromium.newContext();
    const docs = await context.newPage();
    await docs.goto(`${world.origin}/docs/api`);
    await docs.evaluate(TYPE_A_KEY);
    hold((await docs.evaluate(SIGN_IN(ada.key))) === 200, "The sign-in failed");
    const visits = PAGES.map(({ status, type }, index) =>
      visit(context, `${url}?page=${index}`, { page: `${status} ${type}`, user: ada.id }),
    );
    await Promise.all(visits);
    const left = await docs.evaluate<Record<string, unknown>>(LEFT);
    hold(left["key"] === SECRET, "A page cleared the data of the API's origin");
    hold(!left["planted"], "A page stored data on the API's origin");
    hold(left["workers"] === 0, "The API's origin has a service worker");
    hold(String(left["me"]).includes(ada.id), `The session was ended: ${String(left["me"])}`);
    const { text } = await ada.call("GET", "/users/me/webhooks");
    hold(
      JSON.parse(text).page_info.total_count === 0,
      "A page created a resource with the session",
    );
    hold(!String(left["cookies"]).includes("planted"), "A page set a cookie on the API's origin");
  } finally {
    await chromium.close();
  }
}

/** Open a page, which must read neither the typed key nor any data of the signed-in user. */
async function visit(
  context: BrowserContext,
  url: string,
  { page, user }: { page: string; user: string },
): Promise<void> {
  const tab = await context.newPage();
  await tab.goto(url);
  const results: [string, string][] = await tab.evaluate("window.results");
  hold(results?.length > 0, `The page (${page}) did not run its attempts`);
  for (const [name, result] of results)
    hold(
      !result.includes(SECRET) && !result.includes(user),
      `By ${name} the page (${page}) reads ${result.slice(0, 200)}`,
    );
}

/** Runs on the API's origin: stores a key in each way that a page has. */
const TYPE_A_KEY = `(async () => {
  const key = ${JSON.stringify(SECRET)};
  localStorage.setItem("key", key);
  sessionStorage.setItem("key", key);
  document.cookie = "session=" + key + "; path=/";
  await new Promise((done) => { indexedDB.open(key).onsuccess = done; });
  document.body.append(key);
  new BroadcastChannel("keys").onmessage = ({ target }) => target.postMessage(key);
})()`;

/** Runs on the API's origin: exchanges a key for a session, as the console does. */
const SIGN_IN = (
  key: string,
): string => `(async () => (await fetch("/console/session", { method: "POST",
  headers: { "content-type": "application/json" }, body: ${JSON.stringify(JSON.stringify({ api_key: key }))} })).status)()`;

/** Runs on the API's origin: the data and cookies after the visits. */
const LEFT = `(async () => ({
  key: localStorage.getItem("key"),
  planted: localStorage.getItem("planted"),
  cookies: document.cookie,
  me: await (await fetch("/v1/users/me")).text(),
  workers: (await navigator.serviceWorker?.getRegistrations() ?? []).length,
}))()`;

/** Body of \`run\`: the page, with every header that would give it more power. */
const ANSWER = (origin: string): string => `
if (event.url.includes("?worker")) return this.http.respond({ status: 200, body: "self.onconnect = ({ ports }) => ports[0].postMessage('reached')",
  headers: { "content-type": "text/javascript", "service-worker-allowed": "/" } });
const page = ${JSON.stringify(PAGES)}[event.query.page ?? 0];
this.http.respond({ status: page.status, body: ${JSON.stringify(hostilePage(origin))}, headers: {
  "content-type": page.type, "service-worker-allowed": "/", "clear-site-data": '"*"',
  "set-cookie": "planted=1; Path=/", "content-security-policy": "sandbox allow-same-origin allow-scripts allow-top-navigation",
  "access-control-allow-origin": "*", "cross-origin-opener-policy": "unsafe-none" } });`;
