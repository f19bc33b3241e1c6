import type { AlertKind } from "#domain/alerts.ts";
import { DAY_SECONDS } from "#domain/billing.ts";
import { type Id, isId } from "#domain/ids.ts";
import { nearestQuota } from "#domain/quotas.ts";

/** An issue that needs a person, and the next step. `since`: epoch seconds; null: not known. */
export type Attention = {
  kind:
    | "failing_source"
    | "failing_workflow"
    | "failing_webhook"
    | "silent_source"
    | "late_timer"
    | "account_lost"
    | "parked_event"
    | "dead_account"
    | "inactive_webhook"
    | "quota";
  severity: "error" | "warning";
  resourceType: "source" | "workflow" | "webhook" | "account" | "user" | "workspace";
  resourceId: string;
  name: string | null;
  message: string;
  since: number | null;
  next: { label: string; action: Action };
};

type Action =
  | "read_errors"
  | "read_runs"
  | "read_deliveries"
  | "read_logs"
  | "run_source"
  | "choose_account"
  | "reconnect_account"
  | "activate_webhook"
  | "read_usage";

/** The result of the directory's queries. */
type Findings = {
  alerts: {
    kind: AlertKind;
    subjectId: string;
    name: string | null;
    message: string;
    sinceMs: number;
  }[];
  webhooks: { id: Id<"webhook">; name: string; reason: string; sinceMs: number | null }[];
  accounts: {
    id: Id<"account">;
    name: string;
    app: string;
    dead: boolean;
    error: string | null;
    errorAt: number | null;
  }[];
  /** Since yesterday. */
  failing: { id: string; name: string | null; done: number; failed: number }[];
  silent: { id: string; name: string | null; lastDay: string; days: number }[];
  used: ({ id: Id<"user"> | Id<"workspace">; name: string } & Parameters<typeof nearestQuota>[0] &
    Parameters<typeof nearestQuota>[1])[];
};

/** Maximum findings that are returned. */
const MAX_SHOWN = 50;

/** The used share of a quota from which it is reported. */
const QUOTA_WARNING = 0.8;

/** Everything that needs a person: errors first, then the newest. */
export function attentionIn(found: Findings): Attention[] {
  const alerts = found.alerts.map(ofAlert);
  const known = new Set(alerts.map(({ resourceId }) => resourceId));
  const inactive = new Set<string>(found.webhooks.map(({ id }) => id));
  const failing = found.failing.filter(({ id }) => !known.has(id) && !inactive.has(id));
  return [
    ...alerts,
    ...found.webhooks.map(ofWebhook),
    ...found.accounts.map(ofAccount),
    ...failing.map(ofFailing),
    ...found.silent.filter(({ id }) => !known.has(id)).map(ofSilent),
    ...found.used.flatMap(ofQuota),
  ]
    .toSorted((a, b) => rankOf(a) - rankOf(b) || (b.since ?? 0) - (a.since ?? 0))
    .slice(0, MAX_SHOWN);
}

function rankOf({ severity }: Attention): number {
  return severity === "error" ? 0 : 1;
}

function ofAlert({
  kind,
  subjectId,
  name,
  message,
  sinceMs,
}: Findings["alerts"][number]): Attention {
  const subject = subjectOf(subjectId);
  const isSource = subject.resourceType === "source";
  const about = { ...subject, name, message, since: secondsOf(sinceMs) };
  if (kind === "late")
    return {
      ...about,
      kind: "late_timer",
      severity: "warning",
      next: next("Read its log", "read_logs"),
    };
  if (kind === "account_lost")
    return {
      ...about,
      kind: "account_lost",
      severity: "error",
      next: next("Connect or choose an account", "choose_account"),
    };
  if (kind === "event_parked")
    return {
      ...about,
      kind: "parked_event",
      severity: "error",
      next: next("Read its errors", "read_errors"),
    };
  return {
    ...about,
    kind: isSource ? "failing_source" : "failing_workflow",
    severity: "error",
    next: isSource ? next("Read its errors", "read_errors") : next("Look at its runs", "read_runs"),
  };
}

function ofWebhook({ id, name, reason, sinceMs }: Findings["webhooks"][number]): Attention {
  return {
    kind: "inactive_webhook",
    severity: "error",
    resourceType: "webhook",
    resourceId: id,
    name,
    message: `Deactivated, and sends nothing: ${reason}`,
    since: sinceMs === null ? null : secondsOf(sinceMs),
    next: next("Repair its receiver and activate it", "activate_webhook"),
  };
}

function ofAccount({
  id,
  name,
  app,
  dead,
  error,
  errorAt,
}: Findings["accounts"][number]): Attention {
  return {
    kind: "dead_account",
    severity: dead ? "error" : "warning",
    resourceType: "account",
    resourceId: id,
    name,
    message: dead
      ? `${app} revoked the grant: only connecting the account again helps`
      : `Its access token could not be refreshed: ${error}`,
    since: errorAt,
    next: next("Connect it again", "reconnect_account"),
  };
}

function ofFailing({ id, name, done, failed }: Findings["failing"][number]): Attention {
  const subject = subjectOf(id);
  const { resourceType } = subject;
  const what = resourceType === "webhook" ? "attempts to deliver" : "runs";
  const about = {
    ...subject,
    name,
    severity: "warning" as const,
    message: `${failed} of ${done} ${what} failed since yesterday (UTC)`,
    since: null,
  };
  if (resourceType === "webhook")
    return {
      ...about,
      kind: "failing_webhook",
      next: next("Look at its deliveries", "read_deliveries"),
    };
  return resourceType === "source"
    ? { ...about, kind: "failing_source", next: next("Read its errors", "read_errors") }
    : { ...about, kind: "failing_workflow", next: next("Look at its runs", "read_runs") };
}

function ofSilent({ id, name, lastDay, days }: Findings["silent"][number]): Attention {
  return {
    kind: "silent_source",
    severity: "warning",
    resourceType: "source",
    resourceId: id,
    name,
    message: `No event since ${lastDay} (UTC), though it emitted on ${days} of the days before yesterday`,
    since: Date.parse(lastDay) / 1000 + DAY_SECONDS,
    next: next("Run it once", "run_source"),
  };
}

function ofQuota({ id, name, ...rest }: Findings["used"][number]): Attention[] {
  const nearest = nearestQuota(rest, rest);
  if (!nearest || nearest.share < QUOTA_WARNING) return [];
  const { quota, share } = nearest;
  return [
    {
      kind: "quota",
      severity: share >= 1 ? "error" : "warning",
      resourceType: isId("user", id) ? "user" : "workspace",
      resourceId: id,
      name,
      message: `${Math.floor(share * 100)} % of the ${quota.replaceAll("_", " ")} is used; it resets at midnight UTC`,
      since: null,
      next: next("Look at the usage", "read_usage"),
    },
  ];
}

function subjectOf(id: string): Pick<Attention, "resourceId" | "resourceType"> {
  if (isId("source", id)) return { resourceType: "source", resourceId: id };
  if (isId("workflow", id)) return { resourceType: "workflow", resourceId: id };
  return { resourceType: "webhook", resourceId: id };
}

function next(label: string, action: Action): Attention["next"] {
  return { label, action };
}

function secondsOf(ms: number): number {
  return Math.floor(ms / 1000);
}
