import type { ForeignResponse } from "#domain/body.ts";
import {
  followRedirects,
  type Guard,
  guardedFetch,
  TargetRefused,
  TooManyRedirects,
} from "#sandbox/egress/guarded-fetch.ts";

const TIMEOUT_MS = 10_000;
const MAX_FILE_BYTES = 2 ** 20;

/** The file at a URL; `gone` if there is none, `refused` and `failed` with the reason. */
export type RemoteFile =
  | { found: true; url: URL; text: string }
  | { found: false; reason?: string; upstream: boolean };

/** Read one file. */
export async function remoteFile(url: URL, guard: Guard): Promise<RemoteFile> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const { url: at, response } = await followRedirects(url, (hop) =>
      guardedFetch(new Request(hop, { redirect: "manual", signal }), guard),
    );
    return await read(at, response);
  } catch (error) {
    if (error instanceof TargetRefused)
      return { found: false, reason: error.message, upstream: false };
    const reason =
      error instanceof TooManyRedirects ? error.message : `${url.href} does not respond`;
    return { found: false, reason, upstream: true };
  }
}

async function read(url: URL, response: ForeignResponse): Promise<RemoteFile> {
  if (response.ok) return await textOf(url, response);
  await response.body?.cancel();
  if (response.status < 500 && response.status !== 429) return { found: false, upstream: false };
  return { found: false, reason: `${url.href} responded with ${response.status}`, upstream: true };
}

async function textOf(url: URL, response: ForeignResponse): Promise<RemoteFile> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > MAX_FILE_BYTES) {
        const reason = `${url.href} is larger than ${MAX_FILE_BYTES} bytes`;
        return { found: false, reason, upstream: false };
      }
      text += decoder.decode(chunk, { stream: true });
    }
  } catch {
    return { found: false, reason: `${url.href} interrupted its response`, upstream: true };
  }
  return { found: true, url, text: text + decoder.decode() };
}
