import { exports, waitUntil } from "cloudflare:workers";

import { received } from "#bundler/transfer.ts";
import { connect } from "#db/client.ts";
import { countRoundTrips } from "#db/round-trips.ts";
import { allowedLicenses } from "#domain/licenses.ts";
import { accessOrigin } from "#domain/sessions.ts";
import { openCodeMaintenance } from "#sandbox/code-maintenance.ts";
import { openCodeStore } from "#sandbox/code-store.ts";
import { isLocal, ownOrigins } from "#sandbox/egress/network.ts";
import { isDispatching, mayEvaluate, openBundle, openUserCode } from "#sandbox/open.ts";
import { figuresReader } from "#sandbox/processes/processes.ts";
import { openStashStore } from "#sandbox/stash-store.ts";
import { loadCatalogue } from "#services/connect/catalogue.ts";
import type { Followed, FollowQuery, OutgoingMail, AppContext } from "#services/context.ts";
import { openVault } from "#vault/vault.ts";

import { openBundler } from "./bundler.ts";
import { openImports } from "./imports.ts";

/**
 * Build the dependencies of services from the bindings of this deployment. `origin` is the default if none is
 * configured; `requestId` identifies the request.
 */
export function openContext(
  env: Env,
  origin = "",
  requestId: string = crypto.randomUUID(),
): AppContext {
  const { database, roundTrips } = countRoundTrips(env.DB);
  const codeStore = openCodeStore(env.CODE);
  const bundler = openBundler(env);
  return {
    requestId,
    warnings: [],
    db: connect(database),
    roundTrips,
    sources: (id) => env.SOURCES.getByName(id),
    countStream: (keyHash) => streamOf(env, keyHash, new URL("https://emitter/count")),
    follow: (keyHash, emitter, query) => streamOf(env, keyHash, followUrl(emitter, query)),
    endStreams: (keyHash, owner) => env.RATE_LIMITS.getByName(keyHash).endStreams(owner),
    apphooks: (name) => env.APPHOOKS.getByName(name),
    owners: (id) => env.OWNERS.getByName(id),
    accounts: (id) => env.ACCOUNTS.getByName(id),
    vault: openVault(env),
    dataStores: (id) => env.DATA_STORES.getByName(id),
    workflows: (id) => env.WORKFLOWS.getByName(id),
    webhooks: (id) => env.WEBHOOKS.getByName(id),
    bundle: async (request) =>
      received(await bundler.bundle(request), (hash) => codeStore.packages(hash)),
    fetchFiles: (client, url) => bundler.fetchFiles(client, url),
    sandbox: (...code) => openFor(env, code, { isAlone: false }),
    evaluator: (...code) => openFor(env, code, { isAlone: true }),
    mayEvaluate: (owner) => mayEvaluate(env, owner),
    program: (...code) => openFor(env, code, { isAlone: true, isOffline: true }),
    stored: (...code) => openStored(env, code),
    storedApart: (...code) => exports.StoredCode({ props: { code } }),
    egress: (owner, cause) => exports.Egress({ props: { owner, cause } }),
    imports: openImports(env),
    email: env.EMAIL_FROM ? (mail) => send(env.EMAIL, env.EMAIL_FROM, mail) : undefined,
    scripts: isDispatching(env) ? env.SCRIPTS.getByName(env.DISPATCH_NAMESPACE) : undefined,
    sandboxFigures: figuresReader(env),
    machineFigures: machineFiguresReader(env),
    codeStore,
    codeMaintenance: openCodeMaintenance(env.CODE),
    stashes: openStashStore(env.CODE),
    countKeyUse: (owner, keyHash) => env.RATE_LIMITS.getByName(`owner ${owner}`).countOf(keyHash),
    countRequest: (counter) => env.RATE_LIMITS.getByName(counter).count(),
    countedRequests: (counter) => env.RATE_LIMITS.getByName(counter).counted(),
    ...settingsOf(env, origin),
    inBackground: waitUntil,
    now: () => Math.floor(Date.now() / 1000),
  };
}

/** The operator's settings. */
function settingsOf(env: Env, origin: string) {
  return {
    catalogue: () => loadCatalogue(env.ASSETS),
    requestLimit: requestLimitOf(env.RATE_LIMIT),
    origin: env.EVENTS_URL || env.PUBLIC_URL || origin,
    apiOrigin: env.PUBLIC_URL || origin,
    ownOrigins: ownOrigins(env),
    adminToken: env.ADMIN_TOKEN ?? "",
    metricsToken: env.METRICS_TOKEN ?? "",
    access: accessTeamOf(env),
    allowPrivateTargets: env.ALLOW_PRIVATE_TARGETS === "true",
    allowIpTargets: isLocal(env),
    allowedLicenses: allowedLicenses(env.REGISTRY_LICENSES),
    showsCredentials: env.SHOW_CREDENTIALS === "true",
  };
}

/** Undefined unless both are set: without the audience, the token of any application of the team would sign in. */
function accessTeamOf({ CF_ACCESS_TEAM_DOMAIN, CF_ACCESS_AUD: audience }: Env) {
  const origin = accessOrigin(CF_ACCESS_TEAM_DOMAIN);
  return origin !== undefined && audience !== "" ? { origin, audience } : undefined;
}

function openFor(
  env: Env,
  [owner, plan, bundle]: Parameters<AppContext["evaluator"]>,
  { isAlone, isOffline = false }: { isAlone: boolean; isOffline?: boolean },
): ReturnType<AppContext["evaluator"]> {
  const tenant = { owner, plan, egress: exports.Egress({ props: { owner } }), isOffline };
  return openBundle(env, tenant, { bundle, isAlone });
}

/** Open code of the store. */
export function openStored(
  env: Env,
  [ownerId, plan, code]: Parameters<AppContext["stored"]>,
): ReturnType<AppContext["stored"]> {
  const means: Parameters<typeof openUserCode>[1] = {
    egress: (owner) => exports.Egress({ props: { owner } }),
    provide: (request) => env.SCRIPTS.getByName(env.DISPATCH_NAMESPACE).provide(request),
  };
  return openUserCode(env, means, { ownerId, plan, ...code });
}

/** Maximum requests of a key if the setting is not a whole number: a typo must not remove the limit. */
const DEFAULT_REQUEST_LIMIT = 1000;

function requestLimitOf(setting: string): number {
  return /^\d+$/.test(setting) ? Number(setting) : DEFAULT_REQUEST_LIMIT;
}

async function send(
  binding: SendEmail,
  from: string,
  { to, subject, text, html }: OutgoingMail,
): Promise<void> {
  await binding.send({
    from,
    to,
    subject,
    ...(text !== null && { text }),
    ...(html !== null && { html }),
  });
}

function machineFiguresReader({ MACHINE: machine }: Env): AppContext["machineFigures"] {
  return machine && (async () => (await machine.fetch("http://machine/")).json());
}

async function streamOf(env: Env, keyHash: string, url: URL): Promise<Response> {
  const stream = await env.RATE_LIMITS.getByName(keyHash).fetch(url);
  // Responses of objects are immutable, and middleware adds headers.
  return new Response(stream.body, stream);
}

function followUrl({ id, ownerId }: Followed, query: FollowQuery): URL {
  const { channels = [], lastEventId, isPart } = query;
  const url = new URL("https://emitter/stream");
  url.searchParams.set("emitter", id);
  url.searchParams.set("owner", ownerId);
  for (const channel of channels) url.searchParams.append("event_name", channel);
  if (isPart) url.searchParams.set("part", "1");
  if (lastEventId !== undefined) url.searchParams.set("last_event_id", lastEventId);
  return url;
}
