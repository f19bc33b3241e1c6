import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { BrowserContext, BrowserContextOptions } from "playwright-core";

import { call, postUnwrapped } from "../scripts/api.ts";
import { type RunningPlatform, startPlatform } from "../scripts/platform.ts";
import { launchBrowser } from "./chromium.ts";
import { type Front, startFront } from "./front.ts";
import { Product } from "./product.ts";
import { Provider } from "./provider.ts";

/** Everything needed to connect an account: a platform behind HTTPS, a provider, a customer's product and a browser. */
export type Stage = {
  platform: RunningPlatform;
  provider: Provider;
  product: Product;
  /** Another user's browser, which accepts the certificate of this run. */
  newBrowser: (options?: BrowserContextOptions) => Promise<BrowserContext>;
  /** The origins that the browser sees, each on a separate site. */
  origins: { platform: string; product: string; provider: string; stranger: string };
  stop: () => Promise<void>;
};

/** Create the stage. The app `signing` signs its users in at the provider, and the app `typing` requires a key. */
export async function setStage(): Promise<Stage> {
  const ends: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    const stateDir = await mkdtemp(join(tmpdir(), "wellspring-stage-"));
    ends.push(() => rm(stateDir, { recursive: true, force: true }));
    const front = await startFront();
    ends.push(front.stop);
    const origins = originsAt(front);
    const platform = await startPlatform({
      stateDir,
      variables: {
        PUBLIC_URL: origins.platform,
        TRUSTED_PROXIES: "127.0.0.1",
        ALLOW_PRIVATE_TARGETS: "true",
      },
    });
    ends.push(platform.stop);
    const [provider, product] = [new Provider(), new Product(origins.platform)];
    front.serve("platform.example", new URL(platform.url).origin);
    front.serve("provider.example", provider.answer);
    for (const host of ["product.example", "stranger.example"]) front.serve(host, product.answer);
    const tokens = await listen(provider.answer);
    ends.push(tokens.stop);
    await defineApps(platform, {
      authorizeUrl: `${origins.provider}/authorize`,
      tokenUrl: `${tokens.origin}/token`,
    });
    const browser = await launchBrowser();
    ends.push(() => browser.close());
    const newBrowser = (options?: BrowserContextOptions) =>
      browser.newContext({ ignoreHTTPSErrors: true, ...options });
    return { platform, provider, product, newBrowser, origins, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Serve plain HTTP, as servers reach each other here: the runtime rejects a certificate made for a run. */
async function listen(
  answer: RequestListener,
): Promise<{ origin: string; stop: () => Promise<void> }> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port was assigned");
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { origin: `http://127.0.0.1:${address.port}`, stop };
}

/** Names of separate sites, so that browsers isolate them as in production. */
function originsAt({ originOf }: Front): Stage["origins"] {
  return {
    platform: originOf("platform.example"),
    product: originOf("product.example"),
    provider: originOf("provider.example"),
    stranger: originOf("stranger.example"),
  };
}

async function defineApps(
  platform: RunningPlatform,
  { authorizeUrl, tokenUrl }: { authorizeUrl: string; tokenUrl: string },
): Promise<void> {
  const operator = { url: platform.url.replace(/v1$/, "admin"), apiKey: platform.adminToken };
  const oauth = { authorize_url: authorizeUrl, token_url: tokenUrl, scopes: ["read"] };
  await call(operator, "/apps/signing", { name: "Shop", fields: [], oauth }, "PUT");
  const client = { app: "signing", token_url: tokenUrl, client_id: "id", client_secret: "secret" };
  await call(operator, "/oauth_apps", client);
  const fields = [
    { name: "host", label: "Host", secret: false },
    { name: "api_key", label: "API key" },
  ];
  const typing = { name: "Store", auth_type: "keys", fields };
  await call(operator, "/apps/typing", typing, "PUT");
}

/** A customer: a project whose server creates tokens for its users' browsers. */
export type Customer = {
  project: string;
  /** A token of the external user `ada`, and the link to the connect page. */
  newToken: (more?: object) => Promise<{ token: string; connect_link_url: string }>;
  accounts: () => Promise<{ id: string; app: { name_slug: string } }[]>;
};

/** Create a customer with a product of this name. */
export async function newCustomer({ platform }: Stage, name: string): Promise<Customer> {
  const { id: project } = await postUnwrapped<{ id: string }>(platform, "/connect/projects", {
    name,
  });
  return {
    project,
    newToken: (more = {}) =>
      postUnwrapped(platform, `/connect/${project}/tokens`, { external_user_id: "ada", ...more }),
    accounts: () => call(platform, `/connect/${project}/accounts`),
  };
}
