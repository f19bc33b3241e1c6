import type { PropDefinition } from "#domain/definition.ts";
import type { Id, OwnerId } from "#domain/ids.ts";
import { fromJson } from "#domain/json.ts";
import { secretProps, type Values } from "#domain/props.ts";

import type { Place } from "./envelope.ts";
import type { Vault } from "./vault.ts";

/** Sealed values by prop name. */
type Sealed = Record<string, string>;

/** Remove the values of `secret` props from all values, and seal each of them for `place`. */
export async function sealSecrets(
  vault: Vault,
  place: Place,
  { props, values }: { props: readonly PropDefinition[]; values: Values },
): Promise<{ plain: Values; sealed: Sealed }> {
  const secrets = secretProps(props);
  const entries = Object.entries(values);
  const sealed = entries
    .filter(([name]) => secrets.has(name))
    .map(async ([name, value]) => {
      return [name, await vault.seal(JSON.stringify(value), [...place, name])] as const;
    });
  return {
    plain: Object.fromEntries(entries.filter(([name]) => !secrets.has(name))),
    sealed: Object.fromEntries(await Promise.all(sealed)),
  };
}

/** The values that `sealSecrets` sealed. */
export async function openSecrets(vault: Vault, place: Place, sealed: Sealed): Promise<Values> {
  const opened = Object.entries(sealed).map(async ([name, text]) => {
    return [name, fromJson(await vault.open(text, [...place, name]))] as const;
  });
  return Object.fromEntries(await Promise.all(opened));
}

/** The same values rewrapped with the current master key; undefined if all already are. */
export async function rewrapSealed(
  vault: Vault,
  place: Place,
  sealed: Sealed,
): Promise<Sealed | undefined> {
  const rewrapped = Object.entries(sealed).map(async ([name, text]) => {
    return [name, await vault.rewrap(text, [...place, name])] as const;
  });
  const changed = (await Promise.all(rewrapped)).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text] as const],
  );
  return changed.length === 0 ? undefined : { ...sealed, ...Object.fromEntries(changed) };
}

/** The place of a source's secrets. */
export function placeOfSource({
  sourceId,
  ownerId,
}: {
  sourceId: Id<"source">;
  ownerId: OwnerId;
}): Place {
  return ["source", sourceId, ownerId];
}

/** The place of a workflow step's secrets. */
export function placeOfStep(ownerId: OwnerId, step: string): Place {
  return ["step", ownerId, step];
}
