import type { PropDefinition } from "../domain/definition.ts";
import type { Id, OwnerId } from "../domain/ids.ts";
import { secretProps, type Values } from "../domain/props.ts";
import type { Place } from "./envelope.ts";
import type { Vault } from "./vault.ts";

/** Whose values they are: a secret opens for its own source and owner only. */
type Holder = { sourceId: Id<"source">; ownerId: OwnerId };

/** Sealed values by prop name. */
type Sealed = Record<string, string>;

/** Take the values of `secret` props out of all values, and seal each of them. */
export async function sealSecrets(
  vault: Vault,
  holder: Holder,
  { props, values }: { props: readonly PropDefinition[]; values: Values },
): Promise<{ plain: Values; sealed: Sealed }> {
  const secrets = secretProps(props);
  const entries = Object.entries(values);
  const sealed = entries
    .filter(([name]) => secrets.has(name))
    .map(async ([name, value]) => {
      return [name, await vault.seal(JSON.stringify(value), placeOf(holder, name))] as const;
    });
  return {
    plain: Object.fromEntries(entries.filter(([name]) => !secrets.has(name))),
    sealed: Object.fromEntries(await Promise.all(sealed)),
  };
}

/** The values that `sealSecrets` sealed. */
export async function openSecrets(vault: Vault, holder: Holder, sealed: Sealed): Promise<Values> {
  const opened = Object.entries(sealed).map(async ([name, text]) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns Json.
    return [name, JSON.parse(await vault.open(text, placeOf(holder, name))) as Values[string]];
  });
  return Object.fromEntries(await Promise.all(opened));
}

function placeOf({ sourceId, ownerId }: Holder, name: string): Place {
  return ["prop", sourceId, ownerId, name];
}
