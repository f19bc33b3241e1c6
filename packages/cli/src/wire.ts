/** The parts of API responses that the command line reads. */

export type Page<T> = {
  page_info: { total_count: number; count: number; end_cursor: string | null };
  data: T[];
};

export type Source = {
  id: string;
  component_id: string;
  name: string;
  name_slug: string;
  active: boolean;
  created_at: number;
  updated_at: number;
  configured_props: Record<string, unknown>;
};

export type Prop = {
  name: string;
  type: string;
  label?: string;
  description?: string;
  optional?: boolean;
  secret?: boolean;
  hidden?: boolean;
  default?: unknown;
  options?: unknown[];
  remoteOptions?: boolean;
  reloadProps?: boolean;
  useQuery?: boolean;
  app?: string;
};

export type Component = {
  id: string;
  name: string;
  version: string;
  component_type: "source" | "action";
  configurable_props: Prop[];
};

export type EventSummary = {
  id: string;
  indexed_at_ms: number;
  event: unknown;
  metadata: { emit_id: string; name: string; emitter_id: string; summary?: string; id?: string };
};

/** An event on `$logs`. */
export type LogLine = { level: string; message: string; ts: number; run_id: string };

/** An event on `$errors`. */
export type ErrorEvent = {
  original_context: { id: string };
  error: { code: string; message: string; stack?: string };
};

/** An event on `$runs`. */
export type RunNote = {
  run_id: string;
  trigger: string;
  method?: string;
  path?: string;
  outcome: "succeeded" | "failed";
  response_status?: number;
  duration_ms: number;
  emitted: number;
  /** Emitted events that dedupe dropped; absent from older platforms. */
  duplicates?: number;
};

export type Workflow = {
  id: string;
  name: string;
  active: boolean;
  version: number;
  trigger: { type: string; endpoint_url?: string };
  steps: { name: string }[];
};

export type Account = { id: string; app: string; name: string; healthy: boolean };

export type Subscription = {
  id: string;
  emitter_id: string;
  listener_id: string;
  event_name: string;
};

export type Published = { key: string; type: string; version: string; license: string | null };

export type Webhook = { id: string; url: string; name: string | null; active: boolean };

export type Issue = {
  path?: string;
  message?: string;
  file?: string;
  line?: number;
  column?: number;
  text?: string;
};

export type ErrorBody = {
  error: string;
  code: string;
  details?: { issues?: Issue[]; error?: { name: string; message: string; stack?: string } };
};

/** An app, as operators see it. */
export type App = {
  name_slug: string;
  name: string;
  auth_type: "keys" | "oauth" | "none";
  state: "ready" | "needs_client" | "needs_settings";
  has_own_settings: boolean;
  /** The slug that an OAuth client is set for. */
  client_app: string;
  client_id: string | null;
  redirect_uri: string | null;
  guide: {
    docs: string;
    create_at: string | null;
    redirect_field: string | null;
    https_only: boolean;
    review: string | null;
  } | null;
};
