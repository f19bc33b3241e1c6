import { sha256Hex } from "#domain/hash.ts";
import { isOwner, type OwnerId } from "#domain/ids.ts";

import { COMPATIBILITY_DATE, COMPATIBILITY_FLAGS } from "./compatibility.ts";
import { HARNESS, MAIN_MODULE } from "./harness.ts";
import type { Bundle } from "./user-code.ts";
import {
  limitsOf,
  isolateModules,
  type IsolateModule,
  MAX_EVENTS_PER_CALL,
} from "./worker-loader.ts";

/** The identity of a script, without the harness and its runtime. */
export type ScriptKey = { owner: OwnerId; bundleHash: string };

/** Tags of a script for operators who inspect the namespace. */
export type ScriptLabels = { component: string; version: string };

/** Names may have 63 characters; 60 of these are 240 bits of SHA-256. */
const PREFIX = "ws-";
const HASH_LENGTH = 60;

/** A script may have 8 tags. Their maximum length is undocumented, so long keys are truncated. */
const TAG_LENGTH = 120;

/** Imports of modules for TCP connections. */
const SOCKETS = /["'](?:node:(?:net|tls)|cloudflare:sockets)["']/;

let runtimeHash: Promise<string> | undefined;

/** The name of the script that runs a bundle for an owner: a hash of its content, so a named script never changes. */
export async function scriptName({ owner, bundleHash }: ScriptKey): Promise<string> {
  runtimeHash ??= sha256Hex(JSON.stringify([metadata([]), HARNESS]));
  const hash = await sha256Hex([await runtimeHash, owner, bundleHash].join("\n"));
  return PREFIX + hash.slice(0, HASH_LENGTH);
}

/**
 * Whether code, its packages included, may open TCP connections: they bypass the outbound Worker, so such code runs
 * through the loader.
 */
export function usesSockets({ code, dependencies, mayConnect }: Bundle): boolean {
  return (
    mayConnect ?? [code, ...Object.values(dependencies.modules)].some((text) => SOCKETS.test(text))
  );
}

/** A script in the form of Cloudflare's API: `metadata`, and a part for each module, without any binding. */
export function scriptForm(bundle: Bundle, tags: string[]): FormData {
  const form = new FormData();
  const description = JSON.stringify(metadata(tags));
  form.set("metadata", new Blob([description], { type: "application/json" }), "metadata.json");
  for (const [name, content] of Object.entries(isolateModules(bundle)))
    form.set(name, partOf(content), name);
  return form;
}

function partOf(content: IsolateModule): Blob {
  if (typeof content !== "string" && "wasm" in content)
    return new Blob([content.wasm], { type: "application/wasm" });
  if (typeof content !== "string" && "data" in content)
    return new Blob([content.data], { type: "application/octet-stream" });
  if (typeof content !== "string" && "cjs" in content)
    return new Blob([content.cjs], { type: "application/javascript" });
  const text = typeof content === "string" ? content : content.js;
  return new Blob([text], { type: "application/javascript+module" });
}

/** The tags of a script: owner, component and bundle, so that its use can be looked up from them alone. */
export function tagsOf({ owner, bundleHash }: ScriptKey, labels?: ScriptLabels): string[] {
  const known = labels ? [`component.${labels.component}`, `version.${labels.version}`] : [];
  return [`owner.${owner}`, `bundle.${bundleHash}`, ...known].map((tag) =>
    tag.replaceAll(/[^\w.+~-]/g, "-").slice(0, TAG_LENGTH),
  );
}

/** The key of a script by its tags; undefined if it is not one of the platform. */
export function keyIn(tags: readonly string[]): ScriptKey | undefined {
  const valueOf = (name: string) =>
    tags.find((tag) => tag.startsWith(`${name}.`))?.slice(name.length + 1) ?? "";
  const [owner, bundleHash] = [valueOf("owner"), valueOf("bundle")];
  if (bundleHash === "" || !isOwner(owner)) return undefined;
  return { owner, bundleHash };
}

/** Whether a name can be one of `scriptName`. */
export function isScriptName(name: string): boolean {
  return name.startsWith(PREFIX) && name.length === PREFIX.length + HASH_LENGTH;
}

function metadata(tags: string[]) {
  return {
    main_module: MAIN_MODULE,
    compatibility_date: COMPATIBILITY_DATE,
    compatibility_flags: COMPATIBILITY_FLAGS,
    bindings: [],
    tags,
    // The maximum of all plans; each call has the limits of its owner's plan and of its events.
    limits: { cpu_ms: limitsOf("paid", MAX_EVENTS_PER_CALL).cpuMs },
  };
}
