import { Badge } from "@cloudflare/kumo";
import {
  CheckCircleIcon,
  CircleDashedIcon,
  ClockIcon,
  type Icon,
  InfoIcon,
  PauseCircleIcon,
  PlayCircleIcon,
  ProhibitIcon,
  WarningIcon,
  XCircleIcon,
} from "@phosphor-icons/react";

type Look = { variant: "success" | "error" | "warning" | "info" | "neutral"; icon: Icon };

const GOOD: Look = { variant: "success", icon: CheckCircleIcon };
const BAD: Look = { variant: "error", icon: XCircleIcon };
const DOUBTFUL: Look = { variant: "warning", icon: WarningIcon };
const BUSY: Look = { variant: "info", icon: PlayCircleIcon };
const WAITING: Look = { variant: "info", icon: ClockIcon };
const OFF: Look = { variant: "neutral", icon: PauseCircleIcon };

/** The states in the API of runs, steps, deliveries, accounts, imports and bindings. */
const LOOKS: Record<string, Look> = {
  active: GOOD,
  succeeded: GOOD,
  delivered: GOOD,
  published: GOOD,
  healthy: GOOD,
  finished: GOOD,
  ok: GOOD,
  failed: BAD,
  dead: BAD,
  error: BAD,
  failing: BAD,
  refused: BAD,
  unhealthy: DOUBTFUL,
  warning: DOUBTFUL,
  silent: DOUBTFUL,
  running: BUSY,
  queued: WAITING,
  waiting: WAITING,
  pending: WAITING,
  accepted: WAITING,
  info: { variant: "info", icon: InfoIcon },
  paused: OFF,
  off: OFF,
  unchanged: OFF,
  skipped: OFF,
  cancelled: { variant: "neutral", icon: ProhibitIcon },
};

const UNKNOWN: Look = { variant: "neutral", icon: CircleDashedIcon };

/** A state with its name, its colour and its icon. `label` replaces the name. */
export function Status({ state, label = state }: { state: string; label?: string }) {
  const { variant, icon: StateIcon } = LOOKS[state] ?? UNKNOWN;
  return (
    <Badge variant={variant} icon={<StateIcon weight="fill" />}>
      {label}
    </Badge>
  );
}
