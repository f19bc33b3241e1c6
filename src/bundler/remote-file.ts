import { refusalOf } from "../domain/targets.ts";

const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 10_000;
const MAX_FILE_BYTES = 2 ** 20;

/** What lies at a URL; `gone` where there is nothing, `refused` and `failed` with the reason. */
export type RemoteFile =
  | { found: true; url: URL; text: string }
  | { found: false; reason?: string; upstream: boolean };

/** Read one file. Every hop is checked like the first. */
export async function remoteFile(url: URL, allowPrivate: boolean): Promise<RemoteFile> {
  let at = url;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const refusal = refusalOf(at.href, allowPrivate);
    if (refusal !== undefined) return { found: false, reason: refusal, upstream: false };
    const response = await ask(at);
    if (typeof response === "string") return { found: false, reason: response, upstream: true };
    const location = response.headers.get("location");
    if (!isRedirect(response.status) || location === null) return await read(at, response);
    at = new URL(location, at);
  }
  return {
    found: false,
    reason: `${url.href} redirects more than ${MAX_REDIRECTS} times`,
    upstream: true,
  };
}

async function ask(url: URL): Promise<Response | string> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return await fetch(url, { redirect: "manual", signal });
  } catch {
    return `${url.href} does not answer`;
  }
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

async function read(url: URL, response: Response): Promise<RemoteFile> {
  if (response.ok) return await textOf(url, response);
  await response.body?.cancel();
  if (response.status < 500 && response.status !== 429) return { found: false, upstream: false };
  return { found: false, reason: `${url.href} answers ${response.status}`, upstream: true };
}

async function textOf(url: URL, response: Response): Promise<RemoteFile> {
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
    return { found: false, reason: `${url.href} breaks off its answer`, upstream: true };
  }
  return { found: true, url, text: text + decoder.decode() };
}
