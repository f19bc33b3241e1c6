import { WorkerEntrypoint } from "cloudflare:workers";

import { accountById, recordRefresh } from "#db/accounts.ts";
import { recordAlerts } from "#db/alerts.ts";
import { sourcesHookedBy } from "#db/apphooks.ts";
import { connect } from "#db/client.ts";
import { routesOf } from "#db/routes.ts";
import { recordWebhookActivity } from "#db/webhooks.ts";
import type { AlertReport } from "#domain/alerts.ts";
import type { ProviderEvent } from "#domain/apphooks.ts";
import { positionAt } from "#domain/event-ids.ts";
import type { Id, OwnerId } from "#domain/ids.ts";
import { candidatesOf, type Emitter, type Route, routeKeysOf } from "#domain/routes.ts";
import type {
  AccountRecord,
  OauthSettings,
  TokenEndpoint,
  RefreshRecord,
} from "#durable-objects/account/contract.ts";
import type { Settled } from "#durable-objects/source/contract.ts";
import { checkAccountUsesSoon, lostAccounts } from "#services/account-checks.ts";
import { loadCatalogue } from "#services/connect/catalogue.ts";
import { refreshingClient, tokenEndpoint } from "#services/connect/refreshing.ts";
import { recordSettled } from "#services/sources/settle.ts";
import { openContext } from "#worker/bindings.ts";

/**
 * The queries of objects to D1. They own their storage and reach the database through this entrypoint alone.
 * Each method rejects if D1 fails.
 */
export class Directory extends WorkerEntrypoint<Env> {
  /** Record the outcome of a change to a source. */
  settled(settled: Settled): Promise<void> {
    return recordSettled(openContext(this.env), settled);
  }

  /** The row of an account, with its credentials sealed; undefined if it was deleted. */
  account(id: Id<"account">): Promise<AccountRecord | undefined> {
    return accountById(this.#db(), id);
  }

  /** Record a refresh, or its failure. Returns false if the account changed since `version`. */
  async recordRefresh(
    account: Pick<AccountRecord, "id" | "version"> & { at: number },
    change: RefreshRecord,
  ): Promise<boolean> {
    const isRecorded = await recordRefresh(this.#db(), account, change);
    checkAccountUsesSoon(openContext(this.env));
    return isRecorded;
  }

  /** The accounts that provide no credentials to their owner. */
  lostAccounts(owner: OwnerId, ids: readonly Id<"account">[]): Promise<Id<"account">[]> {
    return lostAccounts(openContext(this.env), owner, ids);
  }

  /** The routes of an owner for some emitters, in the form of subscriptions. */
  async routes(ownerId: string, emitterIds: readonly string[]): Promise<Route[][]> {
    const routes = await routesOf(this.#db(), ownerId, emitterIds);
    const lists = new Map<string, Route[]>(emitterIds.map((id) => [id, []]));
    for (const found of routes) lists.get(found.emitterId)?.push(found);
    return emitterIds.map((id) => lists.get(id) ?? []);
  }

  /** The number of sources, workflows and webhooks subscribed to channels of an emitter, regardless of filters. */
  async countListeners(emitter: Emitter, channels: readonly string[]): Promise<number> {
    const { ownerId } = emitter;
    const lists = await this.env.OWNERS.getByName(ownerId).routes(ownerId, routeKeysOf(emitter));
    const routes = lists.flatMap((list): Route[] => JSON.parse(list));
    const position = positionAt(Date.now());
    const candidates = channels.flatMap((channel) => [
      ...candidatesOf(emitter, { channel, position }, routes).keys(),
    ]);
    return new Set(candidates).size;
  }

  /** Record the open alerts of a source, a workflow or a webhook. */
  recordAlerts(report: AlertReport): Promise<void> {
    return recordAlerts(this.#db(), report, Date.now());
  }

  /** The client that refreshes an app's accounts: the project's own if it connected them, else the operator's. */
  oauthSettings(
    app: string,
    oauthAppId: Id<"oauth_app"> | null,
  ): Promise<OauthSettings | undefined> {
    return refreshingClient(this.#apps(), app, oauthAppId);
  }

  /** The token server of an app, for an account's own client. */
  tokenEndpoint(app: string): Promise<TokenEndpoint | undefined> {
    return tokenEndpoint(this.#apps(), app);
  }

  /** The live sources that listen to an event of a provider: at most `limit` ids in order, from `after` on. */
  sourcesHookedBy(
    event: Omit<ProviderEvent, "payload">,
    range: { after: string; limit: number },
  ): Promise<Id<"source">[]> {
    return sourcesHookedBy(this.#db(), event, range);
  }

  /**
   * Record the state of a webhook, and the reason if it was deactivated. Returns its owner; undefined if it was
   * deleted.
   */
  recordWebhookActivity(
    id: Id<"webhook">,
    activity: { active: boolean; reason: string | null },
  ): Promise<OwnerId | undefined> {
    return recordWebhookActivity(this.#db(), id, activity);
  }

  #db() {
    return connect(this.env.DB);
  }

  #apps() {
    return { db: this.#db(), catalogue: () => loadCatalogue(this.env.ASSETS) };
  }
}
