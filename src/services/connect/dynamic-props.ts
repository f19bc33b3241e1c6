import type { PropDefinition } from "#domain/definition.ts";
import { invalidInput } from "#domain/errors.ts";

import type { Component } from "../components.ts";
import type { Context } from "../context.ts";

/** The prefix of their ids. */
const PREFIX = "dyp_";

/** The owner and component of the added props. */
type Place = Pick<Component, "id" | "key">;

/**
 * An id for props that a component has beside its declared ones. It contains them, sealed for the actor and the key of
 * the component, so that nothing is stored and nobody can present others.
 */
export async function sealDynamicProps(
  ctx: Pick<Context, "actor" | "vault">,
  place: Place,
  props: readonly PropDefinition[],
): Promise<string> {
  const text = JSON.stringify(props);
  const packed = await throughStream(new TextEncoder().encode(text), new CompressionStream("gzip"));
  return PREFIX + (await ctx.vault.seal(packed.toBase64(), placeOf(ctx, place)));
}

/** The props in an id. Refuses one that is not for this actor and component. Absent: none. */
export async function openDynamicProps(
  ctx: Pick<Context, "actor" | "vault">,
  place: Place,
  id: string | undefined,
): Promise<PropDefinition[]> {
  if (id === undefined) return [];
  try {
    const packed = await ctx.vault.open(id.slice(PREFIX.length), placeOf(ctx, place));
    const bytes = await throughStream(
      Uint8Array.fromBase64(packed),
      new DecompressionStream("gzip"),
    );
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    const message = "must be an id that was returned for this user and component";
    throw invalidInput([{ path: "dynamic_props_id", message }]);
  }
}

function placeOf({ actor }: Pick<Context, "actor">, { key, id }: Place): string[] {
  return ["dynamic_props", actor.id, key ?? id];
}

async function throughStream(
  bytes: Uint8Array,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  return new Uint8Array(
    await new Response(
      new Blob([new Uint8Array(bytes)]).stream().pipeThrough(stream),
    ).arrayBuffer(),
  );
}
