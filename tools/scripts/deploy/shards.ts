import { Refusal } from "../local/refusal.ts";
import type { Config } from "./config.ts";
import type { Running } from "./release.ts";
import type { Report } from "./report.ts";

/** The maximum shards of one kind: a Worker has room for more bindings, but no load has needed them. */
const MAX_SHARDS = 100;

/** The sharded bindings, and the settings for the number of shards that accept new work. */
const QUEUE = { binding: "EMISSIONS", setting: "QUEUE_SHARDS", option: "--queues" } as const;
const ENGINE = { binding: "RUNS", setting: "WORKFLOW_SHARDS", option: "--workflows" } as const;

type Kind = typeof QUEUE | typeof ENGINE;

/** The operator's numbers of shards; undefined: as many as exist. */
export type ShardCounts = { queues: number | undefined; workflows: number | undefined };

/** The number in an option of the command line. Throws a `Refusal` for an invalid one. */
export function shardCount(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const count = Number(value);
  if (Number.isInteger(count) && count >= 1 && count <= MAX_SHARDS) return count;
  throw new Refusal(`${option} must be a whole number from 1 to ${MAX_SHARDS}, not "${value}".`);
}

/**
 * Bind the requested number of queues and engines of workflow runs, or the existing ones. If the number shrinks, the
 * others stay bound: their messages are consumed, and their runs continue to their ends.
 */
export function withShards(
  config: Config,
  { queues, workflows }: ShardCounts,
  running: Pick<Running, "bindings" | "texts">,
  report: Pick<Report, "note">,
): Config {
  const queue = planOf(QUEUE, queues, running);
  const engine = planOf(ENGINE, workflows, running);
  for (const [what, { active, bound }] of [
    ["queues for events", queue],
    ["engines for workflow runs", engine],
  ] as const)
    if (bound > 1) report.note("shards", `${active} ${what}${beside(bound - active)}`);
  return {
    ...config,
    queues: queuesOf(config, queue.bound),
    ...(config.workflows && { workflows: workflowsOf(config.workflows, engine.bound) }),
    vars: {
      ...config.vars,
      [QUEUE.setting]: String(queue.active),
      [ENGINE.setting]: String(engine.active),
    },
  };
}

function beside(unused: number): string {
  return unused > 0 ? `, and ${unused} that get nothing new` : "";
}

function planOf(
  { binding, setting }: Kind,
  requested: number | undefined,
  { bindings, texts }: Pick<Running, "bindings" | "texts">,
): { active: number; bound: number } {
  const active = requested ?? Math.max(1, Number(texts.get(setting) ?? 1));
  let known = 1;
  while (bindings.has(`${binding}_${known}`)) known += 1;
  return { active, bound: Math.max(active, known) };
}

function queuesOf({ queues: { producers, consumers } }: Config, count: number): Config["queues"] {
  const sharded = producers.find(({ binding }) => binding === QUEUE.binding);
  const consumer = consumers.find(({ queue }) => queue === sharded?.queue);
  if (!sharded || !consumer) return { producers, consumers };
  const numbers = furtherShards(count);
  return {
    producers: [
      ...producers,
      ...numbers.map((n) => ({ binding: `${QUEUE.binding}_${n}`, queue: `${sharded.queue}-${n}` })),
    ],
    consumers: [
      ...consumers,
      ...numbers.map((n) => ({ ...consumer, queue: `${consumer.queue}-${n}` })),
    ],
  };
}

function workflowsOf(
  workflows: NonNullable<Config["workflows"]>,
  count: number,
): NonNullable<Config["workflows"]> {
  const sharded = workflows.find(({ binding }) => binding === ENGINE.binding);
  if (!sharded) return workflows;
  const further = furtherShards(count).map((n) => ({
    ...sharded,
    binding: `${ENGINE.binding}_${n}`,
    name: `${sharded.name}-${n}`,
  }));
  return [...workflows, ...further];
}

/** 1 to `count` - 1: the first shard has the name without a number. */
function furtherShards(count: number): number[] {
  return Array.from({ length: count - 1 }, (_, index) => index + 1);
}
