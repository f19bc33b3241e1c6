import { placeOfSource, rewrapSealed } from "#vault/secret-props.ts";
import type { openVault } from "#vault/vault.ts";

import type { WiredSource } from "./wiring.ts";

/** Rewrap the secrets of a source and its shards with the current master key. False while it is being changed. */
export async function rewrapSecrets(
  { deployments, siblings, alarm }: WiredSource,
  vault: ReturnType<typeof openVault>,
): Promise<boolean> {
  const deployment = deployments.current();
  if (!deployment) return true;
  const sealed = await rewrapSealed(vault, placeOfSource(deployment), deployment.sealedProps ?? {});
  if (sealed === undefined) return true;
  if (!deployments.reseal(deployment, sealed)) return false;
  siblings.renew();
  await siblings.deploy();
  alarm.rearm();
  return true;
}
