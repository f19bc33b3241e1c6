/** How much a line matters: what is below `LOG_LEVEL` is not written. */
export const LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type Level = (typeof LEVELS)[number];

/**
 * Every event that a line of the log can be of: its level, and what it is in words. Names and levels are what
 * operators search and alert by (docs/operations.md): they stay as they are.
 */
export const EVENTS = {
  request: ["info", "A request to the API was answered"],
  request_failed: ["error", "A request to the API failed on our side"],
  endpoint_failed: ["error", "An endpoint failed on our side: its event may not have been taken"],
  metric_lost: ["warn", "A data point could not be written"],
  request_uncounted: ["warn", "A request was not counted by the rate limit"],
  health_check_failed: ["error", "Something that this deployment is bound to does not work"],
  sweep_ended: ["info", "The scheduled sweep ended"],
  sweep_failed: ["error", "The scheduled sweep failed, and is tried again in a minute"],
  sweep_part_ended: ["info", "A part of the sweep had something to do, and did it"],
  sweep_part_failed: ["error", "A part of the sweep failed, and is tried again in a minute"],
  alarm_unkept: ["error", "An object could not be asked whether it has the alarm that it needs"],
  object_unremoved: ["error", "The object of what was deleted could not be erased"],
  queue_unmeasured: ["warn", "What waits in the queue could not be measured"],
  source_unswept: ["error", "A source whose change was cut short could not be swept up"],
  source_empty: ["error", "A source is live, but its object holds nothing"],
  workflow_unswept: ["error", "A workflow could not be asked which code its runs go by"],
  source_untold: ["warn", "What became of a change could not be written down, and is tried again"],
  source_left_over: ["error", "A source that was not created could not be taken back"],
  secrets_unwrapped: ["error", "Secrets could not be brought under the current master key"],
  usage_unreported: ["warn", "Usage could not be reported, and is reported later"],
  egress_unreported: [
    "warn",
    "What components sent could not be reported, and is with the next report",
  ],
  quotas_unknown: ["warn", "The quotas of an owner could not be asked for"],
  quotas_untold: ["warn", "New quotas were not told to everybody who goes by them"],
  emitter_unreachable: ["warn", "An emitter could not be asked for its events"],
  listener_failed: ["warn", "A listener did not take its events, and is offered them again"],
  outbox_unsent: ["warn", "The queue took no message, which is sent again by the sweep"],
  source_map_unreadable: ["warn", "A source map could not be read"],
  run_ended: ["debug", "A run ended"],
  run_failed: [
    "info",
    "A run failed by its component; `count`: how many did since the last such line",
  ],
  event_refused: ["debug", "An endpoint did not take an event"],
  event_handed_over: ["debug", "An event was handed to a listener"],
  delivery_attempted: ["debug", "A delivery was sent to a webhook"],
  delivery_failed: ["info", "A delivery failed; `count`: how many did since the last such line"],
  webhook_deactivated: [
    "info",
    "A webhook was switched off, because it was gone or failed for too long",
  ],
  isolate_died: ["warn", "An isolate died during a run"],
  isolate_unreadable: ["warn", "A message of an isolate could not be read: it is loaded anew"],
  run_uncommitted: ["error", "A run could not be committed"],
  engine_unreachable: ["warn", "The workflow engine could not be asked about a run"],
  engine_full: ["warn", "The workflow engine took no more runs, and is offered them again"],
  instances_undeleted: [
    "warn",
    "The workflow engine did not delete instances of ended runs, and is asked again",
  ],
  run_unterminated: ["warn", "The workflow engine did not terminate a run"],
  delivery_unsettled: ["error", "A delivery could not be settled, and is tried again"],
  webhook_unreported: ["warn", "The state of a webhook could not be reported"],
  apphook_delayed: ["warn", "An event of a provider is held up"],
  apphook_lost: ["error", "An event of a provider never reached all of its sources"],
  script_uploaded: [
    "info",
    "A script was brought to the dispatch namespace, or left to the loader",
  ],
  script_unavailable: ["warn", "A script cannot be called yet, and the loader runs its code"],
  script_unanswering: ["warn", "A script does not answer"],
  script_undeleted: ["warn", "A script that nobody uses could not be deleted"],
  namespace_unreadable: ["warn", "The dispatch namespace could not be read"],
} as const satisfies Record<string, [Exclude<Level, "silent">, string]>;

export type EventName = keyof typeof EVENTS;
