import type { Bundled, BundleRequest, FetchedFiles } from "#bundler/contract.ts";
import type { Database } from "#db/client.ts";
import type { User } from "#db/users.ts";
import type { Cause } from "#domain/chains.ts";
import type { Catalogue } from "#domain/connect/catalogue.ts";
import type { ActorId, Id, OwnerId, PayerId } from "#domain/ids.ts";
import type { AllowedLicenses } from "#domain/licenses.ts";
import type { Quotas } from "#domain/quotas.ts";
import type { KeyWindows, Window } from "#domain/rate-limits.ts";
import type { AccountControl } from "#durable-objects/account/contract.ts";
import type { ApphookControl } from "#durable-objects/apphook/contract.ts";
import type { DataStoreControl } from "#durable-objects/data-store/contract.ts";
import type { ScriptsControl } from "#durable-objects/dispatch-namespace/contract.ts";
import type { OwnerControl } from "#durable-objects/owner/contract.ts";
import type { SourceControl } from "#durable-objects/source/contract.ts";
import type { WebhookControl } from "#durable-objects/webhook/contract.ts";
import type { WorkflowControl } from "#durable-objects/workflow/contract.ts";
import type { CodeMaintenance } from "#sandbox/code-maintenance.ts";
import type { CodeStore } from "#sandbox/code-store.ts";
import type { ScriptLabels } from "#sandbox/script.ts";
import type { StashStore } from "#sandbox/stash-store.ts";
import type { Bundle, UserCode } from "#sandbox/user-code.ts";
import type { Plan } from "#sandbox/worker-loader.ts";
import type { MachineFigures } from "#telemetry/machine-metrics.ts";
import type { SandboxFigures } from "#telemetry/sandbox-metrics.ts";
import type { Vault } from "#vault/vault.ts";

import type { ImportControl } from "./registry-imports/control.ts";

/** Channels of an emitter, or all but the platform's own, after the last event that the reader has. */
export type FollowQuery = {
  channels?: readonly string[] | undefined;
  lastEventId?: string | undefined;
  /** Whether it becomes a part of a stream of several emitters, which has limits of its own. */
  isPart?: boolean | undefined;
};

/** The emitter of a stream, and its owner. */
export type Followed = { id: Id<"source"> | Id<"workflow">; ownerId: OwnerId };

/** An outgoing mail. */
export type OutgoingMail = {
  to: string;
  subject: string;
  text: string | null;
  html: string | null;
};

/** A team of Cloudflare Access, which signs people in, and the audience tag of the platform's application there. */
export type AccessTeam = { origin: string; audience: string };

/**
 * The dependencies of services, for any caller: bindings, stores and the clock. A verb takes the part that it uses,
 * unless that is most of it.
 */
export type AppContext = {
  /** The id of the request: in responses, in log lines, and on the events that it causes. */
  readonly requestId: string;
  /** Warnings in the response beside its data. */
  readonly warnings: string[];
  readonly db: Database;
  /** The apps that the platform knows without an operator's settings. */
  readonly catalogue: () => Promise<Catalogue>;
  /** The number of queries to D1 so far. */
  readonly roundTrips: () => number;
  readonly sources: (id: Id<"source">) => SourceControl;
  /** A live stream of an emitter's events, as server-sent events, which ends when the key loses access to its owner. */
  readonly follow: (keyHash: string, emitter: Followed, query: FollowQuery) => Promise<Response>;
  /** A stream of heartbeats only, which counts as one of a key's streams while it is open. */
  readonly countStream: (keyHash: string) => Promise<Response>;
  /** End a key's open streams of an owner's emitters; without an owner, all of them. */
  readonly endStreams: (keyHash: string, owner?: OwnerId) => Promise<void>;
  /** The object of a provider's event, by app and id of the event. */
  readonly apphooks: (name: string) => ApphookControl;
  readonly accounts: (id: Id<"account">) => AccountControl;
  /** The rows of D1 that an owner's emitters need, cached by the owner's object. */
  readonly owners: (id: string) => OwnerControl;
  /** Seals secrets, so that they may be stored. */
  readonly vault: Vault;
  readonly dataStores: (id: Id<"data_store">) => DataStoreControl;
  readonly workflows: (id: Id<"workflow">) => WorkflowControl;
  readonly webhooks: (id: Id<"webhook">) => WebhookControl;
  readonly bundle: (request: BundleRequest) => Promise<Bundled>;
  /** The files of a component from the URL of its entry, on behalf of an owner. */
  readonly fetchFiles: (client: string, url: string) => Promise<FetchedFiles>;
  /** Imports of many components. */
  readonly imports: ImportControl;
  /** Sends mail; undefined if no binding does. */
  readonly email: ((mail: OutgoingMail) => Promise<void>) | undefined;
  /** Open a bundle in an isolate that belongs to this owner alone, within the limits of the plan. */
  readonly sandbox: (owner: OwnerId, plan: Plan | undefined, bundle: Bundle) => UserCode;
  /** Open code of the store, which is not read while an isolate has it. */
  readonly stored: (
    owner: OwnerId,
    plan: Plan | undefined,
    code: { bundleHash: string; labels: ScriptLabels },
  ) => Pick<UserCode, "invoke">;
  /** Like `stored`, but called in an invocation of its own, whose isolates are not those of this request. */
  readonly storedApart: AppContext["stored"];
  /** Like `sandbox`, but in an isolate that ends once the code has returned its definition. */
  readonly evaluator: (owner: OwnerId, plan: Plan | undefined, bundle: Bundle) => UserCode;
  /** Whether more code of an owner may be evaluated now: not while much of it waits, because such code does not yield. */
  readonly mayEvaluate: (owner: OwnerId) => boolean;
  /** Open a program of an agent in an isolate of its own, without network access. */
  readonly program: (owner: OwnerId, plan: Plan | undefined, bundle: Bundle) => UserCode;
  /** An owner's network access, for requests with a cause. */
  readonly egress: (owner: OwnerId, cause: Cause) => Fetcher;
  /** Manages the scripts of components; undefined if they run through the loader. */
  readonly scripts: ScriptsControl | undefined;
  /** The figures of the sandbox processes; undefined if code runs in the platform's own process. */
  readonly sandboxFigures: (() => Promise<SandboxFigures>) | undefined;
  /** The figures of the machine of a local run; undefined on Cloudflare. */
  readonly machineFigures: (() => Promise<MachineFigures>) | undefined;
  readonly codeStore: CodeStore;
  readonly codeMaintenance: CodeMaintenance;
  /** The files of actions for their callers. */
  readonly stashes: StashStore;
  /** Maximum requests of a key in a window; 0: any number. */
  readonly requestLimit: number;
  /** Count a request of an owner by a key, named by its hash, across all isolates. */
  readonly countKeyUse: (owner: string, keyHash: string) => Promise<KeyWindows>;
  /** Count something in a window, across all isolates. */
  readonly countRequest: (counter: string) => Promise<Window>;
  /** The number of requests that `countRequest` counted in the current window. */
  readonly countedRequests: (counter: string) => Promise<number>;
  /** Origin of endpoint URLs. */
  readonly origin: string;
  /** Origin of the API and of its pages. */
  readonly apiOrigin: string;
  /** Grants access to the operator API; empty: it is closed. */
  readonly adminToken: string;
  /** Grants access to the metrics alone; empty: only the admin token does. */
  readonly metricsToken: string;
  /** The Cloudflare Access team that signs people in before their requests arrive; undefined: none. */
  readonly access: AccessTeam | undefined;
  /** The configured origins of the platform; none if requests determine it. */
  readonly ownOrigins: readonly string[];
  /** Licences of components that may be published. */
  readonly allowedLicenses: AllowedLicenses;
  /** Whether webhooks may point to private and loopback addresses: on a laptop. */
  readonly allowPrivateTargets: boolean;
  /** Whether requests to IP addresses are sent: not by Cloudflare's network. */
  readonly allowIpTargets: boolean;
  /** Whether the programs of customers may read the credentials of their users' accounts. */
  readonly showsCredentials: boolean;
  /** Continue work after the response to the request. */
  readonly inBackground: (work: Promise<unknown>) => void;
  /** Epoch seconds. */
  readonly now: () => number;
};

/** The caller, and the limits of the caller's code. */
export type Actor = Quotas & { id: ActorId; plan: Plan };

/** The platform's context and the caller. */
export type Context = AppContext & {
  readonly actor: Actor;
  /** The hash of the caller's key or session. */
  readonly keyHash: string;
  /** The workspace named by the request, which the actor belongs to. */
  readonly workspace?: Id<"workspace"> | undefined;
  /** Of an external user: the owner of the project, whose components the user may use. */
  readonly payer?: PayerId;
};

/** The platform's context and the caller of the v1 API. */
export type UserContext = Context & {
  readonly actor: User;
  /** The workspaces of the actor, as of the start of the request. */
  readonly workspaces: readonly Id<"workspace">[];
};
