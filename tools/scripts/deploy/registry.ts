import { targetRefusal } from "#domain/targets.ts";

import { Refusal } from "../local/refusal.ts";
import { npmRegistry } from "../local/settings.ts";

/**
 * The npm registry of components' packages: the configured one, otherwise the one of this machine's npm. Throws if
 * Cloudflare's network cannot reach it, such as a proxy on this machine.
 */
export async function registryOf(configured: string | undefined): Promise<string> {
  const url = configured || (await npmRegistry());
  const where = configured ? "NPM_REGISTRY_URL" : "The registry of this machine's npm";
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Refusal(`${where} must be an http or https URL, not "${url}". ${NEXT}`);
  const rules = { allowPrivateTargets: false, allowIpTargets: false };
  if (targetRefusal(url, rules) === undefined) return url;
  throw new Refusal(`${where} is ${url}, which Cloudflare's network cannot reach. ${NEXT}`);
}

const NEXT = "Set NPM_REGISTRY_URL to a public registry.";
