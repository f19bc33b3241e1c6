/** Secrets, and variables that wrangler.toml may omit. */
interface Env {
  /** Grants access to the operator API. Absent: it is closed. */
  ADMIN_TOKEN?: string;
  /** Grants access to the metrics alone. Only in local runs. */
  METRICS_TOKEN?: string;
  /** The commit of the sources, if it is known. Only in local runs. */
  COMMIT?: string;
  /** Wraps the keys that encrypt secrets: 32 random bytes, hex or base64. Absent: no secret can be stored. */
  MASTER_KEY?: string;
  /** Former master keys, separated by spaces: values that they encrypted can still be read. */
  PREVIOUS_MASTER_KEYS?: string;
  /** May edit Workers scripts of the account. Only if components run as scripts. */
  CLOUDFLARE_API_TOKEN?: string;
  /** The dispatch namespace that components run in; absent without Workers for Platforms. */
  DISPATCH?: DispatchNamespace;
  /** Reaches private addresses, for targets that the operator configured. Only in local runs without such access. */
  OPERATOR_NETWORK?: Fetcher;
  /** Proxies that may forward requests to this platform, which then uses its configured origins. Only in local runs. */
  TRUSTED_PROXIES?: string;
  /** Responds with 204 if the disk has room, else with 507. Only in local runs. */
  DISK?: Fetcher;
  /** Responds with the figures of the machine: `MachineFigures`. Only in local runs. */
  MACHINE?: Fetcher;
  /**
   * "true": metrics are aggregated for `GET /admin/metrics`. Only in local runs, where one isolate serves all requests.
   */
  METRICS_SCRAPED?: string;
  /** "true": each run is printed for a terminal, including users' data. Only in local runs. */
  EVENT_LINES?: string;
  /** Opens `Lifecycle` to the process that runs the runtime. Only in local runs. */
  LIFECYCLE_TOKEN?: string;
  /** Number of sandbox processes for users' code; absent or "0": it runs in this process. Only in local runs. */
  SANDBOXES?: string;
  /** Their supervisor, and the token that it authenticates with. */
  SUPERVISOR?: Fetcher;
  SANDBOX_TOKEN?: string;
  /** Reports and ends the process of the bundler. Only in local runs where it has one. */
  BUNDLER_PROCESS?: Fetcher;
  /** JSON of the targets in quarantine when they started: `ConfinedUntil`. */
  CONFINED?: string;
  /** The name of TRACE_SAMPLE_RATE in earlier releases; takes precedence if set. */
  TRACE_SHARE?: string;
}

declare namespace Cloudflare {
  interface Env {
    ADMIN_TOKEN?: string;
    METRICS_TOKEN?: string;
    COMMIT?: string;
    MASTER_KEY?: string;
    PREVIOUS_MASTER_KEYS?: string;
    CLOUDFLARE_API_TOKEN?: string;
    DISPATCH?: DispatchNamespace;
    OPERATOR_NETWORK?: Fetcher;
    TRUSTED_PROXIES?: string;
    METRICS_SCRAPED?: string;
    EVENT_LINES?: string;
    DISK?: Fetcher;
    MACHINE?: Fetcher;
    LIFECYCLE_TOKEN?: string;
    SANDBOXES?: string;
    SUPERVISOR?: Fetcher;
    BUNDLER_PROCESS?: Fetcher;
    SANDBOX_TOKEN?: string;
    CONFINED?: string;
    TRACE_SHARE?: string;
  }
}
