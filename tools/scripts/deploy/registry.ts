import { refusalOfHost } from "#domain/targets.ts";

import { Refusal } from "../local/refusal.ts";
import { npmRegistry } from "../local/settings.ts";

/**
 * The npm registry that components get their packages from: the configured one, else the one of this machine's npm.
 * Throws where Cloudflare's network cannot reach it, as a proxy on this machine.
 */
export async function registryOf(configured: string | undefined): Promise<string> {
  const url = configured || (await npmRegistry());
  const where = configured ? "NPM_REGISTRY_URL" : "The registry of this machine's npm";
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Refusal(`${where} must be an http or https URL, not "${url}". ${NEXT}`);
  if (refusalOfHost(new URL(url).hostname, false) === undefined) return url;
  throw new Refusal(`${where} is ${url}, which Cloudflare's network cannot reach. ${NEXT}`);
}

const NEXT = "Set NPM_REGISTRY_URL, for example to https://registry.npmjs.org/.";
