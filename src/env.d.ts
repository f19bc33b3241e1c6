/** Secrets, and variables that wrangler.toml may omit. */
interface Env {
  /** Opens the operator plane. Absent: it is closed. */
  ADMIN_TOKEN?: string;
  /** Wraps the keys that secrets are encrypted by: 32 random bytes, hex or base64. Absent: no secret can be kept. */
  MASTER_KEY?: string;
  /** Master keys that were current before, separated by spaces: values that they encrypted can still be read. */
  PREVIOUS_MASTER_KEYS?: string;
  /** May edit Workers scripts of the account. Only where components run as scripts. */
  CLOUDFLARE_API_TOKEN?: string;
  /** The dispatch namespace that components run in; absent where there is no Workers for Platforms. */
  DISPATCH?: DispatchNamespace;
  /** Reaches private addresses, for targets that the operator configured. Only in local runs whose own network does not. */
  OPERATOR_NETWORK?: Fetcher;
  /** The proxies that may forward requests to this platform, which then uses its configured origins. Only in local runs. */
  TRUSTED_PROXIES?: string;
  /** Responds with 204 if the disk has room, else with 507. Only in local runs. */
  DISK?: Fetcher;
  /** "true": metrics are summed up for `GET /admin/metrics`. Only in local runs, where one isolate serves all. */
  METRICS_SCRAPED?: string;
  /** "true": each run is written for a terminal, with the data that users sent. Only in local runs. */
  EVENT_LINES?: string;
  /** Opens `Lifecycle` to the process that runs the runtime. Only in local runs. */
  LIFECYCLE_TOKEN?: string;
  /** How many sandbox processes run users' code; absent or "0": it runs in this one. Only in local runs. */
  SANDBOXES?: string;
  /** Their supervisor, and the token that it authenticates with. */
  SUPERVISOR?: Fetcher;
  SANDBOX_TOKEN?: string;
  /** JSON of the targets in quarantine when they started: `ConfinedUntil`. */
  CONFINED?: string;
  /** The name of TRACE_SAMPLE_RATE in earlier releases; comes first where it is set. */
  TRACE_SHARE?: string;
}

declare namespace Cloudflare {
  interface Env {
    ADMIN_TOKEN?: string;
    MASTER_KEY?: string;
    PREVIOUS_MASTER_KEYS?: string;
    CLOUDFLARE_API_TOKEN?: string;
    DISPATCH?: DispatchNamespace;
    OPERATOR_NETWORK?: Fetcher;
    TRUSTED_PROXIES?: string;
    METRICS_SCRAPED?: string;
    EVENT_LINES?: string;
    DISK?: Fetcher;
    LIFECYCLE_TOKEN?: string;
    SANDBOXES?: string;
    SUPERVISOR?: Fetcher;
    SANDBOX_TOKEN?: string;
    CONFINED?: string;
    TRACE_SHARE?: string;
  }
}
