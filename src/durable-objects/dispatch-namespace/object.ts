import { DurableObject } from "cloudflare:workers";

import { openCodeStore } from "#sandbox/code-store.ts";
import { type Home, isMissing, probe } from "#sandbox/dispatch-namespace.ts";
import { isScriptName, scriptForm, scriptName, tagsOf, usesSockets } from "#sandbox/script.ts";
import { log } from "#telemetry/log.ts";
import { measure } from "#telemetry/metrics.ts";

import { type ApiOutcome, NamespaceApi } from "./api.ts";
import type { CheckedScript, KnownScript, ScriptRequest, ScriptsControl } from "./contract.ts";
import { KeyedMutex } from "./keyed-mutex.ts";
import { migrate } from "./migrations.ts";
import { type Entry, ScriptRegistry } from "./script-registry.ts";

/** Maximum time until an accepted script can be called. */
const CALLABLE_WITHIN_MS = 15_000;

/** Minimum time between two uploads of a script that is reported missing. */
const UPLOAD_INTERVAL_MS = 60_000;

/** Maximum concurrent uploads: a bundle may take a quarter of an object's memory. */
const LANES = 4;

/** Larger packages are not even read: as modules and as the body of the upload they take twice as much. */
const MAX_PACKAGE_CHARACTERS = 12 * 2 ** 20;

/** Maximum deletions of a sweep. The next one is a minute away. */
const DELETIONS = 20;

/** Interval between two searches of the namespace for unregistered scripts. */
const ADOPTION_INTERVAL_MS = 24 * 60 * 60_000;

type Adoption = { cursor: string; dueMs: number };

/**
 * Manages one dispatch namespace, whose name it has: the only caller of Cloudflare's API, so that its rate limit is
 * kept, no script is uploaded twice at once, and no just requested script is deleted.
 */
export class ScriptsObject extends DurableObject<Env> implements ScriptsControl {
  readonly #register: ScriptRegistry;
  readonly #api: NamespaceApi;
  readonly #turns = new KeyedMutex(LANES);

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    migrate(ctx.storage);
    this.#register = new ScriptRegistry(ctx.storage.sql);
    this.#api = new NamespaceApi({
      url: env.CLOUDFLARE_API_URL,
      accountId: env.CLOUDFLARE_ACCOUNT_ID,
      namespace: ctx.id.name ?? "",
      token: env.CLOUDFLARE_API_TOKEN ?? "",
    });
  }

  async provide(request: ScriptRequest): Promise<Home> {
    const name = await scriptName(request);
    return this.#turns.take(name, () => this.#provide(name, request));
  }

  async leastChecked(limit: number): Promise<KnownScript[]> {
    return this.#register.leastChecked(limit);
  }

  async settle(checked: CheckedScript[]): Promise<number> {
    for (const script of checked) this.#register.note(script, Date.now());
    await this.#adopt();
    let deleted = 0;
    for (const name of this.#register.idle(Date.now(), DELETIONS)) {
      // Deploys have priority.
      if (!this.#api.budget.isAmple(Date.now())) break;
      if (await this.#turns.take(name, () => this.#remove(name))) deleted += 1;
    }
    return deleted;
  }

  async #provide(name: string, request: ScriptRequest): Promise<Home> {
    const known = this.#register.find(name);
    if (known) this.#register.touch(name, Date.now());
    if (known?.state === "loader") return { kind: "loader" };
    if (known?.state !== "ready") return this.#upload(name, request);
    return request.isMissing === true ? this.#look(name, request, known) : { kind: "script" };
  }

  /** Upload a script again that a call found missing, unless it is only not everywhere yet. */
  async #look(name: string, request: ScriptRequest, { uploadedMs }: Entry): Promise<Home> {
    if (await this.#isCallable(name)) return { kind: "script" };
    const sinceMs = Date.now() - uploadedMs;
    if (sinceMs < UPLOAD_INTERVAL_MS)
      return failed("It was uploaded just now", UPLOAD_INTERVAL_MS - sinceMs);
    return this.#upload(name, request);
  }

  async #upload(name: string, request: ScriptRequest): Promise<Home> {
    const startMs = Date.now();
    const { owner: owner_id, bundleHash } = request;
    this.#register.begin({ name, owner: owner_id, bundleHash }, Date.now());
    const isLarge = await this.#hasLargePackages(bundleHash);
    const home = isLarge ? this.#leaveToLoader(name) : await this.#bring(name, request);
    const result = { outcome: home.kind, duration_ms: Date.now() - startMs };
    log("script_uploaded", { script: name, owner_id, ...result });
    measure({ kind: "upload", script: name, owner_id, ...result });
    return home;
  }

  async #bring(name: string, request: ScriptRequest): Promise<Home> {
    const { bundleHash, labels } = request;
    const bundle = await openCodeStore(this.env.CODE).bundle(bundleHash);
    if (!bundle) return failed(`Bundle ${bundleHash} is not in the code store`, UPLOAD_INTERVAL_MS);
    if (usesSockets(bundle)) return this.#leaveToLoader(name);
    const outcome = await this.#api.upload(name, scriptForm(bundle, tagsOf(request, labels)));
    if (outcome.kind === "refused" && outcome.isTooLarge) return this.#leaveToLoader(name);
    if (outcome.kind !== "ok") return failureOf(outcome);
    if (!(await this.#becomesCallable(name)))
      return failed("It was uploaded, but cannot be called yet", 1000);
    this.#register.end(name, "ready", Date.now());
    return { kind: "script" };
  }

  async #hasLargePackages(bundleHash: string): Promise<boolean> {
    const characters = await openCodeStore(this.env.CODE).packageCharacters(bundleHash);
    return characters !== undefined && characters > MAX_PACKAGE_CHARACTERS;
  }

  #leaveToLoader(name: string): Home {
    this.#register.end(name, "loader", Date.now());
    return { kind: "loader" };
  }

  async #becomesCallable(name: string): Promise<boolean> {
    const deadlineMs = Date.now() + CALLABLE_WITHIN_MS;
    for (let waitMs = 50; !(await this.#isCallable(name)); waitMs = Math.min(waitMs * 2, 1000)) {
      if (Date.now() + waitMs > deadlineMs) return false;
      await scheduler.wait(waitMs);
    }
    return true;
  }

  async #isCallable(name: string): Promise<boolean> {
    try {
      await probe(this.env, name);
      return true;
    } catch (error) {
      if (!isMissing(error)) log("script_unanswering", { script: name, error });
      return false;
    }
  }

  /** Delete a script if it is still idle at its turn. */
  async #remove(name: string): Promise<boolean> {
    if (!this.#register.isIdle(name, Date.now())) return false;
    const outcome = await this.#api.remove(name);
    const isGone = outcome.kind === "ok" || outcome.kind === "missing";
    if (isGone) this.#register.forget(name);
    else log("script_undeleted", { script: name, outcome: outcome.kind });
    return isGone;
  }

  /**
   * Once a day, page by page, register those scripts of ours that a lost register left behind. Scripts of others are
   * left alone.
   */
  async #adopt(): Promise<void> {
    const { cursor, dueMs } = this.ctx.storage.kv.get<Adoption>("adoption") ?? {
      cursor: "",
      dueMs: 0,
    };
    if (Date.now() < dueMs || !this.#api.budget.isAmple(Date.now())) return;
    const page = await this.#api.list(cursor);
    if (page.kind !== "ok") {
      log("namespace_unreadable", { outcome: page.kind });
      return;
    }
    const ours = page.scripts.filter((script) => script !== undefined && isScriptName(script.name));
    for (const script of ours) if (script) this.#register.adopt(script, Date.now());
    const isLast = page.cursor === "";
    const nextMs = isLast ? Date.now() + ADOPTION_INTERVAL_MS : 0;
    this.ctx.storage.kv.put<Adoption>("adoption", { cursor: page.cursor, dueMs: nextMs });
  }
}

function failed(message: string, retryAfterMs: number): Home {
  return { kind: "failed", message, retryAfterMs };
}

function failureOf(outcome: Exclude<ApiOutcome, { kind: "ok" }>): Home {
  const retryAfterMs = outcome.kind === "unavailable" ? outcome.retryAfterMs : UPLOAD_INTERVAL_MS;
  return failed(outcome.message, retryAfterMs);
}
