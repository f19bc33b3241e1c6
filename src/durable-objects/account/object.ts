import { DurableObject } from "cloudflare:workers";

import { type Credentials, ownClientIn, refreshAtOf, shownCredentials } from "#domain/accounts.ts";
import { filledTokenUrl } from "#domain/connect/returned-credentials.ts";
import { isId, type OwnerId } from "#domain/ids.ts";
import { revocableToken, type TokenClient, type Tokens } from "#domain/oauth.ts";
import { withTimeout } from "#domain/timeout.ts";
import type { Granted } from "#sandbox/accounts.ts";
import { networkOf } from "#sandbox/egress/network.ts";
import { log } from "#telemetry/log.ts";
import { keyIdOf } from "#vault/envelope.ts";
import { openVault, type Vault } from "#vault/vault.ts";

import type { AccountControl, AccountRecord } from "./contract.ts";
import { exchange } from "./exchange.ts";
import { type Revocation, revokeToken } from "./revocation.ts";

/** Time for which granted credentials may be cached: a change takes effect within it. */
const GRANT_LASTS_MS = 10_000;

/** Time until a failed refresh is retried, unless the account changes. */
const FAILURE_LASTS_MS = 30_000;

/**
 * Time for which a new access token is not refreshed, even if a provider refuses it: it may do so for other reasons.
 */
const REFRESH_LASTS_SECONDS = 30;

/** Maximum time of a revocation: a deletion waits for it. */
const REVOKED_WITHIN_MS = 5000;

const MAX_REPLACED = 10;

/** Fetched tokens that are not in the row of their account yet. */
type Unsaved = Pick<AccountRecord, "version" | "credentials" | "expiresAt" | "refreshAt"> & {
  refreshedAt?: number;
};
const UNSAVED = "unsaved";

/**
 * Grants the credentials of an account, and refreshes its access token: one refresh at a time, however many components
 * wait for it. The row in D1 contains the account; the object keeps a token only until the row has it.
 */
export class AccountObject extends DurableObject<Env> implements AccountControl {
  readonly #vault: Vault;
  #refreshing: Promise<Granted> | undefined;
  /** Replaced access tokens, oldest first: a run that still has one receives the new one. */
  readonly #replaced = new Set<string>();
  #failed: { version: number; reason: string; untilMs: number } | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#vault = openVault(env);
  }

  async credentials(ownerId: OwnerId): Promise<Granted> {
    const account = await this.#account();
    if (account?.ownerId !== ownerId) return { ok: false, reason: GONE };
    const credentials = await this.#opened(account);
    return isDue(account) ? this.#refreshOnce(account, credentials) : grant(account, credentials);
  }

  async tokenAfter(ownerId: OwnerId, refused: string): Promise<string | null> {
    const account = await this.#account();
    if (account?.ownerId !== ownerId) return null;
    const credentials = await this.#opened(account);
    const token = tokenIn(credentials);
    if (token !== refused) return this.#replaced.has(refused) ? token : null;
    if (isFresh(account)) return null;
    const granted = await this.#refreshOnce(account, credentials);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- granted credentials are JSON text of this.
    const renewed = granted.ok ? tokenIn(JSON.parse(granted.auth) as Credentials) : null;
    return renewed === refused ? null : renewed;
  }

  async revoke(ownerId: OwnerId): Promise<void> {
    const controller = new AbortController();
    const revoked = this.#revoked(ownerId, controller.signal).catch(
      (error: unknown): Revocation => ({ outcome: "failed", error }),
    );
    const { outcome, ...details } = await withTimeout(
      revoked,
      REVOKED_WITHIN_MS,
      (): Revocation => {
        controller.abort();
        return { outcome: "timed out" };
      },
    );
    if (outcome === "none") return;
    const event = outcome === "revoked" ? "grant_revoked" : "grant_revocation_failed";
    log(event, { subject_id: this.ctx.id.name, owner_id: ownerId, outcome, ...details });
  }

  #refreshOnce(account: AccountRecord, credentials: Credentials): Promise<Granted> {
    this.#refreshing ??= this.#refresh(account, credentials).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #account(): Promise<AccountRecord | undefined> {
    const id = this.ctx.id.name ?? "";
    if (!isId("account", id)) return undefined;
    const account = await this.ctx.exports.Directory.account(id);
    const isChanged = await this.#save(account);
    return isChanged ? this.ctx.exports.Directory.account(id) : account;
  }

  /** Store tokens that an earlier call could not store. */
  async #save(account: AccountRecord | undefined): Promise<boolean> {
    const unsaved = this.ctx.storage.kv.get<Unsaved>(UNSAVED);
    if (!unsaved) return false;
    const { version, ...renewed } = unsaved;
    if (account) {
      const change = {
        refreshedAt: seconds(),
        ...renewed,
        keyId: keyIdOf(renewed.credentials),
      };
      await this.ctx.exports.Directory.recordRefresh(
        { id: account.id, version, at: seconds() },
        change,
      );
    }
    this.ctx.storage.kv.delete(UNSAVED);
    return account !== undefined;
  }

  async #refresh(account: AccountRecord, credentials: Credentials): Promise<Granted> {
    const { oauth_refresh_token: refreshToken } = credentials;
    const reasonAgainst = this.#reasonAgainst(account);
    if (reasonAgainst !== undefined) return fallback(account, credentials, reasonAgainst);
    const client = await this.#client(account, credentials);
    // A template without its values leads to no server.
    const tokenUrl = client && filledTokenUrl(client.tokenUrl, credentials, client.returned);
    if (!client || tokenUrl === undefined || typeof refreshToken !== "string")
      return grant(account, credentials);
    const { version } = account;
    const network = networkOf(this.ctx.exports.default, this.env);
    const exchanged = await exchange({ ...client, tokenUrl }, refreshToken, network);
    if (exchanged.ok) {
      const known = { oauth_client_id: client.clientId, ...credentials };
      return this.#renew(account, known, exchanged.tokens);
    }
    const { reason, isRevoked } = exchanged;
    this.#failed = { version, reason, untilMs: Date.now() + FAILURE_LASTS_MS };
    const at = seconds();
    await this.ctx.exports.Directory.recordRefresh(
      { ...account, at },
      { error: reason, errorAt: at, dead: isRevoked },
    );
    return fallback(account, credentials, reason);
  }

  /** The reason why a refresh would fail now, if it is known. */
  #reasonAgainst({ version, dead, error }: AccountRecord): string | undefined {
    if (dead) return error ?? REVOKED;
    const isKnown = this.#failed?.version === version && Date.now() < this.#failed.untilMs;
    return isKnown ? this.#failed?.reason : undefined;
  }

  async #renew(account: AccountRecord, old: Credentials, tokens: Tokens): Promise<Granted> {
    const { id, ownerId, version } = account;
    const { accessToken, refreshToken, expiresIn } = tokens;
    this.#noteReplaced(old);
    const credentials = {
      ...old,
      oauth_access_token: accessToken,
      ...(refreshToken !== null && { oauth_refresh_token: refreshToken }),
    };
    const sealed = await this.#vault.seal(JSON.stringify(credentials), ["account", id, ownerId]);
    const now = seconds();
    const expiresAt = expiresIn === null ? null : now + expiresIn;
    const refreshAt = expiresAt === null ? null : refreshAtOf(credentials, { expiresAt, now });
    // The used refresh token may be invalid now: the new one must not be lost, even if D1 fails.
    this.ctx.storage.kv.put<Unsaved>(UNSAVED, {
      version,
      credentials: sealed,
      expiresAt,
      refreshAt,
      refreshedAt: now,
    });
    await this.ctx.storage.sync();
    const current = await this.#account();
    if (!current) return { ok: false, reason: GONE };
    return grant(current, await this.#opened(current));
  }

  async #revoked(ownerId: OwnerId, signal: AbortSignal): Promise<Revocation> {
    // A refresh under way replaces the token. What comes of it is in the row, or will be saved to it.
    await this.#refreshing?.catch(() => undefined);
    const account = await this.#account();
    if (account?.ownerId !== ownerId) return { outcome: "none" };
    const credentials = await this.#opened(account);
    const token = revocableToken(credentials);
    const client = token && (await this.#revokingClient(account, credentials));
    if (!token || !client) return { outcome: "none" };
    const network = networkOf(this.ctx.exports.default, this.env);
    return revokeToken(client, token, { network, signal });
  }

  /** The client that revokes tokens at its filled URL; undefined: the provider has none. */
  async #revokingClient(account: AccountRecord, credentials: Credentials) {
    const client = await this.#client(account, credentials);
    if (client?.revokeUrl === undefined) return undefined;
    const revokeUrl = filledTokenUrl(client.revokeUrl, credentials, client.returned);
    return revokeUrl === undefined ? undefined : { ...client, revokeUrl };
  }

  #noteReplaced(old: Credentials): void {
    const token = tokenIn(old);
    if (token !== null) this.#replaced.add(token);
    const [oldest] = this.#replaced;
    if (oldest !== undefined && this.#replaced.size > MAX_REPLACED) this.#replaced.delete(oldest);
  }

  async #client(
    { app, oauthAppId }: AccountRecord,
    credentials: Credentials,
  ): Promise<TokenClient | undefined> {
    const own = ownClientIn(credentials);
    if (own) {
      const endpoint = await this.ctx.exports.Directory.tokenEndpoint(app);
      return endpoint && { ...endpoint, ...own };
    }
    const settings = await this.ctx.exports.Directory.oauthSettings(app, oauthAppId);
    if (!settings) return undefined;
    const { place, ...client } = settings;
    return { ...client, clientSecret: await this.#vault.open(client.clientSecret, place) };
  }

  async #opened({ id, ownerId, credentials }: AccountRecord): Promise<Credentials> {
    const text = await this.#vault.open(credentials, ["account", id, ownerId]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only credentials are sealed for this place.
    return JSON.parse(text) as Credentials;
  }
}

const GONE = "its account was deleted";
const REVOKED = "the grant was revoked";

function tokenIn({ oauth_access_token: token }: Credentials): string | null {
  return typeof token === "string" ? token : null;
}

/** Whether its token is so new that a provider has other reasons to refuse it. */
function isFresh({ refreshedAt }: AccountRecord): boolean {
  return refreshedAt !== null && seconds() - refreshedAt < REFRESH_LASTS_SECONDS;
}

function isDue({ refreshAt }: AccountRecord): boolean {
  return refreshAt !== null && refreshAt <= seconds();
}

function grant({ refreshAt }: AccountRecord, credentials: Credentials): Granted {
  const latestMs = Date.now() + GRANT_LASTS_MS;
  const dueMs = (refreshAt ?? Number.POSITIVE_INFINITY) * 1000;
  const staleAtMs = dueMs > Date.now() ? Math.min(latestMs, dueMs) : latestMs;
  return { ok: true, auth: JSON.stringify(shownCredentials(credentials)), staleAtMs };
}

/** While the access token has not expired, a failed refresh has no effect yet. */
function fallback(account: AccountRecord, credentials: Credentials, reason: string): Granted {
  const { expiresAt } = account;
  const isUsable = typeof credentials["oauth_access_token"] === "string";
  if (isUsable && (expiresAt === null || expiresAt > seconds())) return grant(account, credentials);
  return { ok: false, reason: `its access token has expired and was not refreshed: ${reason}` };
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}
