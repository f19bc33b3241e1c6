import { randomUUID } from "node:crypto";

import { type ApiCall, ApiError, type ApiResult, type Route } from "./api.ts";
import { fieldsIn } from "./resources.ts";
import { BASE } from "./server.ts";
import type { Asset } from "./upload.ts";

/** A file in a manifest. */
type Entry = { path: string; hash: string; size: number };

type Session = { script: string; entries: Entry[]; missing: Set<string> };

/** The documented limits of manifests. */
const MAX_FILES = 20_000;
const MAX_FILE_BYTES = 25 * 1024 * 1024;

/** Of one upload: wrangler's maximum size of a bucket. */
const MAX_BUCKET_BYTES = 50 * 1024 * 1024;
const BUCKET_FILES = 20;

const TOKEN_SECONDS = 3600;

const CONFIG = new Set([
  "html_handling",
  "not_found_handling",
  "run_worker_first",
  "_redirects",
  "_headers",
]);

/** Static assets of the account's Workers: upload sessions, files by hash, and the deployable completed sessions. */
export class AssetStore {
  /** An uploaded file is not requested again. */
  readonly #files = new Map<string, Pick<Asset, "contents" | "type">>();
  readonly #sessions = new Map<string, Session>();
  readonly #completed = new Map<string, Session>();

  routes(): Route[] {
    return [
      [`POST ${BASE}/workers/scripts/:name/assets-upload-session`, (call) => this.#open(call)],
      [`POST ${BASE}/workers/assets/upload`, (call) => this.#take(call)],
    ];
  }

  /** The assets that the metadata of an upload to a script names; undefined without any. */
  assetsOf(metadata: Record<string, unknown>, script: string): Asset[] | undefined {
    const { assets } = metadata;
    if (assets === undefined) return undefined;
    const { jwt, config = {}, ...others } = assets as Record<string, unknown>;
    const unknown = [
      ...Object.keys(others),
      ...Object.keys(config as object).filter((name) => !CONFIG.has(name)),
    ];
    if (unknown.length > 0) throw refusal(`metadata.assets.${unknown[0]} is not known`);
    const session = this.#completed.get(liveToken(jwt));
    if (session?.script !== script)
      throw refusal("metadata.assets.jwt completes no upload of this script");
    const files = session.entries.map(({ path, hash }) => ({ path, ...this.#fileAt(hash) }));
    const { _headers: headers } = config as { _headers?: string };
    return headers === undefined ? files : [...files, headersFile(headers)];
  }

  #store(session: Session, hash: string, file: Omit<Asset, "path">): void {
    const entry = session.entries.find((each) => each.hash === hash);
    if (!entry) throw refusal(`The manifest lists no file ${hash}`);
    if (file.contents.byteLength !== entry.size)
      throw refusal(`The file ${hash} has not the ${entry.size} bytes of the manifest`);
    this.#files.set(hash, file);
    session.missing.delete(hash);
  }

  #fileAt(hash: string): Pick<Asset, "contents" | "type"> {
    const file = this.#files.get(hash);
    if (!file) throw refusal(`The file ${hash} was not uploaded`);
    return file;
  }

  #open({ params: { name = "" }, body, headers }: ApiCall): ApiResult {
    if (!headers["content-type"]?.startsWith("application/json"))
      throw new ApiError(415, 10_002, "Content-Type must be application/json");
    const { manifest, ...others } = fieldsIn(body);
    if (Object.keys(others).length > 0)
      throw refusal(`${Object.keys(others)[0]} is not known beside manifest`);
    const entries = entriesOf(manifest);
    const missing = new Set(
      entries.map(({ hash }) => hash).filter((hash) => !this.#files.has(hash)),
    );
    const session = { script: name, entries, missing };
    const jwt = newToken();
    (missing.size === 0 ? this.#completed : this.#sessions).set(jwt, session);
    return { result: { jwt, buckets: bucketsOf([...missing]) } };
  }

  async #take({ query, body, headers }: ApiCall): Promise<ApiResult> {
    const session = this.#sessions.get(liveToken(headers.authorization?.replace(/^Bearer /, "")));
    if (!session) throw new ApiError(401, 10_000, "Authentication error");
    if (query.get("base64") !== "true") throw refusal("base64 must be true");
    if (body.byteLength > MAX_BUCKET_BYTES * 1.4)
      throw new ApiError(413, 10_027, "The upload is too large");
    for (const [hash, file] of await filesIn(body, headers["content-type"]))
      this.#store(session, hash, file);
    if (session.missing.size > 0) return { result: {}, status: 202 };
    const jwt = newToken();
    this.#completed.set(jwt, session);
    return { result: { jwt }, status: 201 };
  }
}

/** The file with the runtime's headers of static assets. */
function headersFile(text: string): Asset {
  return { path: "/_headers", contents: new TextEncoder().encode(text), type: "text/plain" };
}

function refusal(message: string): ApiError {
  return new ApiError(400, 10_304, message);
}

function entriesOf(manifest: unknown): Entry[] {
  if (typeof manifest !== "object" || manifest === null || Array.isArray(manifest))
    throw refusal("manifest must be an object");
  const entries = Object.entries(manifest as Record<string, Entry>).map(([path, entry]) => ({
    ...entry,
    path,
  }));
  if (entries.length > MAX_FILES) throw refusal(`manifest has over ${MAX_FILES} files`);
  for (const entry of entries) checkEntry(entry);
  const sizes = Map.groupBy(entries, ({ hash }) => hash);
  for (const [hash, same] of sizes)
    if (new Set(same.map(({ size }) => size)).size > 1)
      throw refusal(`manifest has files of different sizes under ${hash}`);
  return entries;
}

function checkEntry({ path, hash, size, ...others }: Entry): void {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw refusal(`manifest["${path}"].${unknown} is not known`);
  if (!/^\/[^/]/.test(path)) throw refusal(`manifest["${path}"] must begin with one slash`);
  if (!/^[0-9a-f]{32}$/.test(hash))
    throw refusal(`manifest["${path}"].hash must be 32 hexadecimal characters`);
  if (!Number.isInteger(size) || size < 0 || size > MAX_FILE_BYTES)
    throw refusal(`manifest["${path}"].size must be at most ${MAX_FILE_BYTES}`);
}

function bucketsOf(hashes: readonly string[]): string[][] {
  const buckets: string[][] = [];
  for (let at = 0; at < hashes.length; at += BUCKET_FILES)
    buckets.push(hashes.slice(at, at + BUCKET_FILES));
  return buckets;
}

async function filesIn(body: Buffer, type = ""): Promise<[string, Omit<Asset, "path">][]> {
  if (!type.startsWith("multipart/form-data"))
    throw new ApiError(415, 10_002, `Content-Type must be multipart/form-data, not ${type}`);
  const form = await new Response(new Uint8Array(body), {
    headers: { "content-type": type },
  }).formData();
  const files: [string, Omit<Asset, "path">][] = [];
  for (const [hash, part] of form) {
    if (typeof part === "string" || part.name !== hash)
      throw refusal(`The part ${hash} must be a file of that name`);
    const text = await part.text();
    if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
      throw refusal(`The file ${hash} is no base64`);
    files.push([hash, { contents: new Uint8Array(Buffer.from(text, "base64")), type: part.type }]);
  }
  return files;
}

/** A JSON Web Token with the part that clients read: wrangler reads its expiry. */
function newToken(): string {
  const coded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const exp = Math.floor(Date.now() / 1000) + TOKEN_SECONDS;
  return `${coded({ alg: "none" })}.${coded({ exp, jti: randomUUID() })}.signature`;
}

/** A token that has not expired; empty otherwise. */
function liveToken(token: unknown): string {
  if (typeof token !== "string") return "";
  const [, payload = ""] = token.split(".");
  const { exp = 0 } = JSON.parse(Buffer.from(payload, "base64url").toString() || "{}") as {
    exp?: number;
  };
  return exp > Date.now() / 1000 ? token : "";
}
