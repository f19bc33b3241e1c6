import type { IncomingHttpHeaders } from "node:http";

import { ApiError } from "./api.ts";

/** An accepted script: a dispatcher runs it from this data. */
export type UploadedScript = {
  mainModule: string;
  compatibilityDate: string;
  compatibilityFlags: string[];
  limits: { cpu_ms?: number; subrequests?: number };
  tags: string[];
  /** Text of modules, or base64 of WebAssembly, by name. */
  modules: Record<string, { type: string; content: string }>;
};

/** A binding as the metadata of an upload describes it. */
type Binding = {
  type: string;
  name: string;
  text?: string;
  id?: string;
  database_id?: string;
  bucket_name?: string;
  queue_name?: string;
  namespace?: string;
  outbound?: { worker?: { service?: string } };
  class_name?: string;
  workflow_name?: string;
  dataset?: string;
  service?: string;
  entrypoint?: string;
};

/** A static asset as it is served. */
export type Asset = { path: string; contents: Uint8Array; type: string };

/** A Worker in the form of `wrangler deploy`. */
export type Upload = {
  main: string;
  compatibilityDate: string;
  compatibilityFlags: string[];
  bindings: Binding[];
  limits: { cpu_ms?: number; subrequests?: number };
  /** Secrets that the upload does not name stay: otherwise the API drops them. */
  keepsSecrets: boolean;
  modules: { type: "ESModule" | "Text" | "CompiledWasm"; path: string; contents: Uint8Array }[];
  /** Its static assets. */
  assets?: Asset[] | undefined;
  /** The paths for which it runs before its static assets. */
  runWorkerFirst?: boolean | string[];
};

/** Finds the static assets that the metadata of an upload names. */
type FindAssets = (metadata: Metadata) => Asset[] | undefined;

/** The reference's attributes of `metadata` at the top level. */
const ATTRIBUTES = new Set(
  `assets bindings body_part compatibility_date compatibility_flags keep_assets keep_bindings limits logpush
   main_module migrations observability placement tags tail_consumers usage_model`.split(/\s+/),
);

/** Further attributes that wrangler sends. */
const ATTRIBUTES_OF_WRANGLER = new Set([...ATTRIBUTES, "annotations", "code_update_strategy"]);

const MODULE_TYPES = new Set([
  "application/javascript+module",
  // CommonJS, as wrangler sends it.
  "application/javascript",
  "application/wasm",
  "application/octet-stream",
  "application/json",
  "text/plain",
  "application/source-map",
]);

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_TAGS = 8;
const CPU_MS = { min: 10, max: 300_000 };
const SUBREQUESTS = { min: 1, max: 10_000_000 };

/** Read the upload of a namespace's script: `multipart/form-data` of `metadata` and one part a module. */
export async function readScript(
  body: Buffer,
  headers: IncomingHttpHeaders,
): Promise<UploadedScript> {
  const { form, metadata } = await partsOf(body, headers, ATTRIBUTES);
  return { ...checked(metadata), modules: await modulesIn(form, metadata["main_module"]) };
}

/** The runtime's kind of each module type; source maps are for Cloudflare alone. */
const KINDS: Record<string, Upload["modules"][number]["type"]> = {
  "application/javascript+module": "ESModule",
  "text/plain": "Text",
  "application/wasm": "CompiledWasm",
};

/** Read the upload of a Worker of the account. */
export async function readWorker(
  body: Buffer,
  headers: IncomingHttpHeaders,
  findAssets: FindAssets,
): Promise<Upload> {
  const { form, metadata } = await partsOf(body, headers, ATTRIBUTES_OF_WRANGLER);
  const { mainModule: main, compatibilityDate, compatibilityFlags, limits } = checked(metadata);
  const { bindings, keep_bindings: kept = [] } = metadata;
  const assets = findAssets(metadata);
  if (!assets && (bindings as Binding[]).some(({ type }) => type === "assets"))
    throw new ApiError(400, 10_021, "A binding of the type assets needs metadata.assets");
  const modules: Upload["modules"] = [];
  for (const [path, { type, content }] of Object.entries(await modulesIn(form, main))) {
    const kind = KINDS[type];
    const contents = Buffer.from(content, type === "application/wasm" ? "base64" : "utf8");
    if (kind) modules.push({ type: kind, path, contents: new Uint8Array(contents) });
  }
  return {
    main,
    compatibilityDate,
    compatibilityFlags,
    bindings: bindings as Binding[],
    limits,
    keepsSecrets: stringsIn("keep_bindings", kept).includes("secret_text"),
    assets,
    runWorkerFirst: routingIn(metadata),
    // The main module comes first.
    modules: modules.toSorted((a, b) => Number(b.path === main) - Number(a.path === main)),
  };
}

function routingIn({ assets }: Metadata): boolean | string[] {
  const { config } = (assets ?? {}) as { config?: { run_worker_first?: boolean | string[] } };
  return config?.run_worker_first ?? false;
}

async function partsOf(
  body: Buffer,
  headers: IncomingHttpHeaders,
  attributes: ReadonlySet<string>,
): Promise<{ form: FormData; metadata: Metadata }> {
  const type = headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data"))
    throw new ApiError(415, 10_002, `Content-Type must be multipart/form-data, not ${type}`);
  if (body.byteLength > MAX_BYTES) throw new ApiError(413, 10_027, "The script is too large");
  const form = await new Response(new Uint8Array(body), {
    headers: { "content-type": type },
  }).formData();
  const metadata = await metadataIn(form.get("metadata"), attributes);
  form.delete("metadata");
  return { form, metadata };
}

type Metadata = Record<string, unknown>;

async function metadataIn(
  part: File | string | null,
  attributes: ReadonlySet<string>,
): Promise<Metadata> {
  if (part === null) throw new ApiError(400, 10_021, "The part metadata is missing");
  if (typeof part !== "string" && part.type !== "application/json")
    throw new ApiError(400, 10_021, `metadata must be application/json, not ${part.type}`);
  const text = typeof part === "string" ? part : await part.text();
  const metadata = JSON.parse(text) as Metadata;
  const unknown = Object.keys(metadata).find((name) => !attributes.has(name));
  if (unknown !== undefined) throw new ApiError(400, 10_021, `metadata.${unknown} is not known`);
  return metadata;
}

function checked(metadata: Metadata): Omit<UploadedScript, "modules"> {
  const { bindings, compatibility_flags: flags = [], tags = [], limits = {} } = metadata;
  checkBindings(bindings);
  return {
    mainModule: textIn(metadata, "main_module", /./),
    compatibilityDate: textIn(metadata, "compatibility_date", /^\d{4}-\d\d-\d\d$/),
    compatibilityFlags: stringsIn("compatibility_flags", flags),
    tags: checkedTags(tags),
    limits: checkedLimits(limits as Upload["limits"]),
  };
}

function textIn(metadata: Metadata, name: string, pattern: RegExp): string {
  const value = metadata[name];
  if (typeof value === "string" && pattern.test(value)) return value;
  throw new ApiError(400, 10_021, `metadata.${name} must match ${pattern.source}`);
}

function checkBindings(bindings: unknown): void {
  if (!Array.isArray(bindings)) throw new ApiError(400, 10_021, "metadata.bindings must be a list");
  for (const { name, type } of bindings as Metadata[])
    if (typeof name !== "string" || typeof type !== "string")
      throw new ApiError(400, 10_021, "A binding needs a name and a type");
}

/** The reference: at most eight tags, and no `,` or `&` in them. */
function checkedTags(value: unknown): string[] {
  const tags = stringsIn("tags", value);
  if (tags.length > MAX_TAGS) throw new ApiError(400, 10_021, `There are over ${MAX_TAGS} tags`);
  if (tags.some((tag) => /[,&]/.test(tag))) throw new ApiError(400, 10_021, "A tag has a , or &");
  return tags;
}

function isWithin(value: unknown, { min, max }: { min: number; max: number }): boolean {
  return typeof value === "number" && value >= min && value <= max;
}

function checkedLimits({ cpu_ms, subrequests, ...others }: Upload["limits"]): Upload["limits"] {
  if (Object.keys(others).length > 0)
    throw new ApiError(400, 10_021, `limits.${Object.keys(others)[0]} is not known`);
  if (cpu_ms !== undefined && !isWithin(cpu_ms, CPU_MS))
    throw new ApiError(400, 10_021, "limits.cpu_ms must be from 10 to 300000");
  if (subrequests !== undefined && !isWithin(subrequests, SUBREQUESTS))
    throw new ApiError(400, 10_021, "limits.subrequests must be from 1 to 10000000");
  return {
    ...(cpu_ms !== undefined && { cpu_ms }),
    ...(subrequests !== undefined && { subrequests }),
  };
}

function stringsIn(name: string, value: unknown): string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw new ApiError(400, 10_021, `metadata.${name} must be a list of strings`);
}

async function modulesIn(form: FormData, mainModule: unknown): Promise<UploadedScript["modules"]> {
  const modules: UploadedScript["modules"] = {};
  for (const [name, part] of form) {
    if (typeof part === "string") throw new ApiError(400, 10_021, `The part ${name} is no file`);
    const { type } = part;
    if (part.name !== name)
      throw new ApiError(400, 10_021, `The part ${name} has the file name ${part.name}`);
    if (!MODULE_TYPES.has(type))
      throw new ApiError(400, 10_021, `The module ${name} has the type ${type}`);
    const bytes = Buffer.from(await part.arrayBuffer());
    const content = bytes.toString(type === "application/wasm" ? "base64" : "utf8");
    modules[name] = { type, content };
  }
  const main = modules[String(mainModule)];
  if (!main) throw new ApiError(400, 10_021, `No part is the main module ${String(mainModule)}`);
  // A Worker without a handler is rejected, and methods called by RPC alone are no handlers.
  if (!/\b(fetch|scheduled|queue|email|tail)\s*\(/.test(main.content))
    throw new ApiError(400, 10_068, "The uploaded script has no registered event handlers");
  return modules;
}
