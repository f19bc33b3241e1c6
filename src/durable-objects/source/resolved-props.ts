import type { Failure } from "#domain/invocation.ts";
import { secretProps } from "#domain/props.ts";
import { type Redactor, redactorOf } from "#domain/redaction.ts";
import { type AccountOf, authorise, failureOf, tokenRenewal } from "#sandbox/accounts.ts";
import { withoutStoreIds } from "#sandbox/data-stores.ts";
import { openSecrets, placeOfSource } from "#vault/secret-props.ts";
import type { Vault } from "#vault/vault.ts";

import type { Deployment } from "./contract.ts";

/** A deployment's props for its isolate, JSON text, and what replaces their secrets in texts; or a failure. */
export type Seen =
  | { ok: true; props: string; redact: Redactor; staleAtMs: number }
  | { ok: false; failure: Failure };

/**
 * The configured props of a deployment for its isolate: secrets decrypted, accounts' credentials as `$auth`. They are
 * cached in memory only, until the credentials must be refreshed.
 */
export class ResolvedProps {
  readonly #accountOf: AccountOf;
  readonly #vault: Vault;
  #known: { deployment: Deployment; seen: Promise<Seen> } | undefined;
  #staleAtMs = 0;

  constructor(accountOf: AccountOf, vault: Vault) {
    this.#accountOf = accountOf;
    this.#vault = vault;
  }

  /** Rejects for errors of the platform; a failure lasts until the source is changed. */
  async seenBy(deployment: Deployment): Promise<Seen> {
    if (this.#known?.deployment !== deployment || Date.now() >= this.#staleAtMs)
      this.#refresh(deployment);
    return this.#known?.seen ?? this.#open(deployment);
  }

  /** The access token that replaces one that a provider refused to this deployment, or null. */
  async renewToken({ ownerId, props, configuredProps }: Deployment, refused: string) {
    const renew = tokenRenewal(this.#accountOf, ownerId, { props, values: configuredProps });
    const token = await renew(refused);
    if (token !== null) this.#known = undefined;
    return token;
  }

  #refresh(deployment: Deployment): void {
    const seen = this.#open(deployment);
    const known = { deployment, seen };
    this.#known = known;
    this.#staleAtMs = Number.POSITIVE_INFINITY;
    const settle = (staleAtMs: number): void => {
      if (this.#known === known) this.#staleAtMs = staleAtMs;
    };
    seen.then(
      (found) => settle(found.ok ? found.staleAtMs : 0),
      () => settle(0),
    );
  }

  async #open(deployment: Deployment): Promise<Seen> {
    const { ownerId, props, configuredProps, sealedProps = {} } = deployment;
    const secrets = await openSecrets(this.#vault, placeOfSource(deployment), sealedProps);
    const values = { ...configuredProps, ...secrets };
    const authorised = await authorise(this.#accountOf, ownerId, { props, values });
    if (!authorised.ok) return { ok: false, failure: failureOf(authorised) };
    const { values: granted, staleAtMs } = authorised;
    const redact = redactorOf(granted, secretProps(props));
    return { ok: true, props: JSON.stringify(withoutStoreIds(props, granted)), redact, staleAtMs };
  }
}
