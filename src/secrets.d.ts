/** What comes from secrets rather than from wrangler.toml. */
interface Env {
  /** Opens the operator plane. Absent: it is closed. */
  ADMIN_TOKEN?: string;
  NPM_TOKEN?: string;
}

declare namespace Cloudflare {
  interface Env {
    ADMIN_TOKEN?: string;
    NPM_TOKEN?: string;
  }
}
