/** The level of a line: those below `LOG_LEVEL` are not written. */
export const LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type Level = (typeof LEVELS)[number];

/**
 * Every event of a log line: its level, and its message. Operators search and alert by names and levels
 * (docs/monitoring.md): they stay unchanged.
 */
export const EVENTS = {
  request: ["info", "API request handled"],
  request_failed: ["error", "API request failed with an internal error"],
  endpoint_failed: [
    "error",
    "Endpoint failed with an internal error: the event may not have been stored",
  ],
  endpoint_lookup_failed: [
    "warn",
    "An endpoint with an unsigned key could not be looked up; the request was passed on",
  ],
  connection_untold: [
    "warn",
    "The customer could not be notified of the outcome of a connection; given up",
  ],
  notification_failed: ["info", "A notification of a connection failed; retried"],
  import_delayed: ["warn", "Components could not be imported yet; retried by the workflow"],
  metric_lost: ["warn", "A data point could not be written"],
  request_uncounted: ["warn", "The rate limiter could not count a request"],
  health_check_failed: ["error", "A dependency is unhealthy"],
  sweep_ended: ["info", "Scheduled sweep ended"],
  sweep_failed: ["error", "Scheduled sweep failed; retried in a minute"],
  sweep_part_ended: ["info", "A task of the sweep processed rows"],
  sweep_part_failed: ["error", "A task of the sweep failed; retried in a minute"],
  alarm_unkept: ["error", "An object's alarm could not be checked"],
  object_unremoved: ["error", "The object of a deleted resource could not be erased"],
  queue_unmeasured: ["warn", "Queue metrics could not be read"],
  component_unimported: [
    "error",
    "A component could not be imported for a reason of the platform's own",
  ],
  import_unswept: ["error", "An import could not be monitored; retried in a minute"],
  user_undeleted: ["error", "The deletion of a user could not continue; retried in a minute"],
  key_use_unrecorded: ["warn", "The last use of an API key could not be recorded"],
  session_use_unrecorded: ["warn", "The last use of a session could not be recorded"],
  owner_unswept: ["warn", "Old totals of an owner could not be deleted; retried in a day"],
  source_unswept: ["error", "An interrupted change to a source could not be recovered"],
  source_empty: ["error", "A source is live, but its object has no deployment"],
  workflow_unswept: ["error", "The code versions that a workflow uses could not be read"],
  shards_behind: ["warn", "A change did not reach all shards of a source; retried"],
  source_untold: ["warn", "The outcome of a change could not be written to the directory; retried"],
  source_left_over: ["error", "A source whose creation failed could not be deleted"],
  secrets_unwrapped: ["error", "Secrets could not be rewrapped with the current master key"],
  usage_unreported: ["warn", "Usage could not be reported; retried later"],
  sandbox_figures_missing: [
    "warn",
    "The metrics are without those of processes, which were not reported",
  ],
  egress_unreported: ["warn", "Egress usage could not be reported; included in the next report"],
  alerts_unreported: ["warn", "The open alerts of an object could not be listed; retried"],
  accounts_unchecked: ["warn", "An emitter's lost accounts could not be read; retried"],
  grant_revoked: ["info", "The grant of a deleted account was revoked at its provider"],
  grant_revocation_failed: [
    "warn",
    "The grant of an account could not be revoked at its provider before its deletion",
  ],
  quotas_unknown: ["warn", "An owner's quotas could not be read"],
  routes_unknown: ["warn", "The listeners of an owner's emitters could not be read; retried"],
  routes_change_open: [
    "warn",
    "The end of a change of subscriptions could not be reported; they are read from D1 for a minute",
  ],
  quotas_untold: ["warn", "New quotas could not be sent to all objects of the owner"],
  emitter_unreachable: ["warn", "An emitter's events could not be claimed"],
  listener_failed: ["warn", "A listener did not accept its events; retried"],
  outbox_unsent: ["warn", "The queue accepted no message; the alarm sends it again"],
  source_map_unreadable: ["warn", "A source map could not be read"],
  run_ended: ["debug", "Run ended"],
  run_failed: ["info", "Run failed in the component; `count`: failures since the last such line"],
  run_unshown: ["warn", "A run could not be shown on the terminal"],
  event_refused: ["debug", "An endpoint rejected an event"],
  event_handed_over: ["debug", "Event delivered to a listener"],
  delivery_attempted: ["debug", "Delivery sent to a webhook"],
  delivery_failed: ["info", "Delivery failed; `count`: failures since the last such line"],
  webhook_deactivated: [
    "info",
    "Webhook deactivated: it responded with 410 or failed for too long",
  ],
  sandbox_lost: ["warn", "Code held up or ended the sandbox process that it ran in alone"],
  isolate_died: ["warn", "An isolate crashed during a run"],
  isolate_unreadable: [
    "warn",
    "An isolate's message could not be deserialized; the isolate is loaded again",
  ],
  run_uncommitted: ["error", "A run's outcome could not be committed"],
  engine_unreachable: ["warn", "The workflow engine could not be queried about a run"],
  engine_full: ["warn", "The workflow engine accepted no more runs; retried"],
  instances_undeleted: [
    "warn",
    "Instances of ended runs could not be deleted from the workflow engine; retried",
  ],
  message_send_failed: [
    "warn",
    "A message of a step could not be sent or recorded; it is repeated",
  ],
  run_unterminated: ["warn", "A run could not be terminated in the workflow engine"],
  delivery_unsettled: ["error", "A delivery's result could not be stored; retried"],
  deliveries_uncounted: [
    "warn",
    "Attempts of a webhook could not be added to its owner's figures; retried",
  ],
  webhook_unreported: ["warn", "A webhook's state could not be written to the directory"],
  apphook_delayed: ["warn", "Delivery of a provider's event is delayed; retried"],
  apphook_lost: [
    "error",
    "A provider's event could not be delivered to all of its sources in time",
  ],
  script_uploaded: ["info", "Script uploaded to the dispatch namespace, or assigned to the loader"],
  script_unavailable: ["warn", "A script is not callable yet; the loader runs its code"],
  script_unanswering: ["warn", "A script does not respond"],
  script_undeleted: ["warn", "An unused script could not be deleted"],
  namespace_unreadable: ["warn", "The dispatch namespace could not be read"],
} as const satisfies Record<string, [Exclude<Level, "silent">, string]>;

export type EventName = keyof typeof EVENTS;
