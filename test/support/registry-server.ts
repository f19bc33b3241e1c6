import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";

import { packTar } from "modern-tar";
import type { TestProject } from "vitest/node";

import { PUBLISHED } from "../fixtures/registry/packages.ts";
import type { Published } from "../fixtures/registry/published.ts";
import { serve } from "./serve.ts";

declare module "vitest" {
  export interface ProvidedContext {
    registryServer: string;
  }
}

/** A registry for faults that no real one has on demand: fail, hang, return wrong data, and require a token. */
export default async function setup(project: TestProject): Promise<() => void> {
  const tarballs = new Map<string, Buffer>();
  for (const published of PUBLISHED) {
    tarballs.set(`${published.name}-${published.version}.tgz`, await tarballOf(published));
  }
  const requests = { flaky: 0 };
  const { origin, close } = await serve((request, response) => {
    const name = decodeURIComponent((request.url ?? "/").slice(1));
    if (name === "hanging") return;
    const fault = faultOf(name, request, requests);
    if (fault !== undefined) response.writeHead(fault).end();
    else if (name === "no-json") response.end("<html>");
    else if (name.startsWith("-/")) sendTarball(name.slice(2), tarballs, response);
    else sendMetadata(name, tarballs, response);
  });
  project.provide("registryServer", origin);
  return close;
}

function faultOf(
  name: string,
  { headers }: IncomingMessage,
  requests: { flaky: number },
): number | undefined {
  if (name === "erring") return 500;
  if (name === "private") return headers.authorization === "Bearer secret" ? undefined : 401;
  if (name !== "flaky") return undefined;
  requests.flaky += 1;
  // Two faults are one too many for one attempt: the next attempt succeeds.
  return requests.flaky <= 2 ? 503 : undefined;
}

function sendMetadata(name: string, tarballs: Map<string, Buffer>, response: ServerResponse): void {
  if (name.startsWith("many-versions")) return sendManyVersions(name, tarballs, response);
  const packument = packumentOf(name, tarballs, `http://${response.req.headers.host}`);
  response.writeHead(packument === undefined ? 404 : 200).end(JSON.stringify(packument ?? {}));
}

/** A list of versions that is too large, and the only version. */
function sendManyVersions(
  name: string,
  tarballs: Map<string, Buffer>,
  response: ServerResponse,
): void {
  if (name === "many-versions")
    response.writeHead(200, { "content-length": 17 * 2 ** 20 }).end("{");
  else {
    const packument = packumentOf("leaf", tarballs, `http://${response.req.headers.host}`);
    response.end(JSON.stringify({ ...packument?.versions["1.0.0"], name: "many-versions" }));
  }
}

function publishedAs(name: string): Published[] {
  const stand = name === "flaky" || name === "private" ? "leaf" : name;
  return PUBLISHED.filter((published) => published.name === stand);
}

function packumentOf(
  name: string,
  tarballs: Map<string, Buffer>,
  origin: string,
): { name: string; "dist-tags": object; versions: Record<string, object> } | undefined {
  const versions = publishedAs(name).map((published) => {
    const { version, manifest = {}, dist } = published;
    const file = `${published.name}-${version}.tgz`;
    const integrity = `sha512-${createHash("sha512")
      .update(tarballs.get(file) ?? "")
      .digest("base64")}`;
    return [
      version,
      {
        ...manifest,
        name,
        version,
        dist: { ...(dist ?? { integrity }), tarball: `${origin}/-/${file}` },
      },
    ];
  });
  if (versions.length === 0) return undefined;
  const stable = publishedAs(name).findLast(({ version }) => !version.includes("-"));
  return {
    name,
    "dist-tags": { latest: stable?.version },
    versions: Object.fromEntries(versions) as Record<string, object>,
  };
}

async function tarballOf(published: Published): Promise<Buffer> {
  const { name, version, manifest = {}, files = {}, tarball } = published;
  const contents = { "package.json": JSON.stringify({ ...manifest, name, version }), ...files };
  const entries = Object.entries(contents).map(([path, body]) => ({
    header: { name: `package/${path}`, size: Buffer.byteLength(body), type: "file" as const },
    body,
  }));
  const packed = gzipSync(await packTar(entries));
  return tarball === "padded" ? Buffer.concat([packed, Buffer.alloc(700)]) : packed;
}

function sendTarball(file: string, tarballs: Map<string, Buffer>, response: ServerResponse): void {
  const fault = PUBLISHED.find(({ name, version }) => `${name}-${version}.tgz` === file)?.tarball;
  const bytes = tarballs.get(file) ?? Buffer.alloc(0);
  if (fault === "broken") response.writeHead(500).end();
  else if (fault === "tampered") response.end(Buffer.concat([bytes, Buffer.from("x")]));
  else if (fault === "garbage") response.end("garbage");
  else if (fault === "huge") {
    response.writeHead(200, { "content-length": 200 * 2 ** 20 });
    response.write("x");
  } else response.end(bytes);
}
