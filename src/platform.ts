import { exports } from "cloudflare:workers";

import { bundle } from "./bundler/bundle.ts";
import { fetchFiles } from "./bundler/remote-files.ts";
import { supplyOf } from "./bundler/supply.ts";
import { connect } from "./db/client.ts";
import { countRoundTrips } from "./db/round-trips.ts";
import { isId } from "./domain/ids.ts";
import { openCodeStore } from "./sandbox/code-store.ts";
import { openCodeUpkeep } from "./sandbox/code-upkeep.ts";
import { isDispatching } from "./sandbox/open.ts";
import { loadUserCode } from "./sandbox/worker-loader.ts";
import type { FollowQuery, OutgoingMail, Platform } from "./services/context.ts";
import { openVault } from "./vault/vault.ts";

/**
 * Wire what the services need to what this deployment is bound to. `origin` stands in where none is configured;
 * `requestId` names what is asked of it.
 */
export function openPlatform(
  env: Env,
  origin = "",
  requestId: string = crypto.randomUUID(),
): Platform {
  const { database, roundTrips } = countRoundTrips(env.DB);
  return {
    requestId,
    db: connect(database),
    roundTrips,
    sources: (id) => env.SOURCES.getByName(id),
    follow: async (id, query) => {
      const emitter = isId("workflow", id) ? env.WORKFLOWS : env.SOURCES;
      const stream = await emitter.getByName(id).fetch(followUrl(query));
      // What comes from an object cannot be changed, and middleware adds headers.
      return new Response(stream.body, stream);
    },
    apphooks: (name) => env.APPHOOKS.getByName(name),
    accounts: (id) => env.ACCOUNTS.getByName(id),
    vault: openVault(env),
    dataStores: (id) => env.DATA_STORES.getByName(id),
    workflows: (id) => env.WORKFLOWS.getByName(id),
    webhooks: (id) => env.WEBHOOKS.getByName(id),
    bundle: (files, lock) => bundle(files, supplyOf(env), lock),
    fetchFiles: (url) => fetchFiles(url, env.ALLOW_PRIVATE_TARGETS === "true"),
    sandbox: (owner, plan, { hash, ...rest }) =>
      loadUserCode(
        env.LOADER,
        { owner, bundleHash: hash, plan, egress: exports.Egress({ props: { owner } }) },
        async () => ({ hash, ...rest }),
      ),
    email: env.EMAIL_FROM ? (mail) => send(env.EMAIL, env.EMAIL_FROM, mail) : undefined,
    scripts: isDispatching(env) ? env.SCRIPTS.getByName(env.DISPATCH_NAMESPACE) : undefined,
    codeStore: openCodeStore(env.CODE),
    codeUpkeep: openCodeUpkeep(env.CODE),
    requestLimit: Number(env.RATE_LIMIT) || 0,
    countRequest: (keyHash) => env.RATE_LIMITS.getByName(keyHash).count(),
    origin: env.PUBLIC_URL || origin,
    allowPrivateTargets: env.ALLOW_PRIVATE_TARGETS === "true",
    now: () => Math.floor(Date.now() / 1000),
  };
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

function followUrl({ channel, lastEventId }: FollowQuery): URL {
  const url = new URL("https://emitter/stream");
  if (channel !== undefined) url.searchParams.set("event_name", channel);
  if (lastEventId !== undefined) url.searchParams.set("last_event_id", lastEventId);
  return url;
}
