import type { Bundled, SentBundled } from "./contract.ts";

/** Larger packages are not sent but stay in the code store: one RPC carries 32 MiB at most. */
const MAX_SENT_CHARACTERS = 8 * 2 ** 20;

/** A bundle as it is sent to the platform. */
export function sendable(bundled: Bundled): SentBundled {
  if (!bundled.ok) return bundled;
  const { dependencies, ...own } = bundled.bundle;
  const { hash, modules, parts = 0 } = dependencies;
  if (parts > 0) return { ok: true, bundle: { ...own, dependencies: { hash } } };
  const characters = Object.values(modules).reduce((sum, text) => sum + text.length, 0);
  const sent = characters > MAX_SENT_CHARACTERS ? { hash } : { hash, modules };
  return { ok: true, bundle: { ...own, dependencies: sent } };
}

/** The whole bundle again. `packages` reads packages that were not sent, by their hash. */
export async function received(
  sent: SentBundled,
  packages: (hash: string) => Promise<Record<string, string>>,
): Promise<Bundled> {
  if (!sent.ok) return sent;
  const { dependencies, ...own } = sent.bundle;
  const { hash } = dependencies;
  const modules = dependencies.modules ?? (await packages(hash));
  return { ok: true, bundle: { ...own, dependencies: { hash, modules } } };
}
