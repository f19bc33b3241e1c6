import { call, type Caller } from "../scripts/api.ts";
import { memoryOf } from "../scripts/local/process-usage.ts";
import { type RunningPlatform, runtimesOf } from "../scripts/platform.ts";
import { median, percentile } from "./statistics.ts";
import { newProject, withPlatform } from "./targets.ts";

const TRIGGERS_A_USER = 10;

/** The number of users added in each stage, before its measurements. */
const USERS_A_STAGE = 100;

const DEPLOYED_AT_ONCE = 8;

/** The number of list requests in each stage. */
const LISTS = 50;

const MEGABYTE = 2 ** 20;

const COLUMNS = [
  "users",
  "triggers",
  "memory MB",
  "deploy p50 ms",
  "a user's triggers p50, p99 ms",
  "100 of all triggers p50, p99 ms",
  "100 users p50, p99 ms",
];

const COMPONENT = `export default {
  key: "bench-trigger", name: "Trigger", version: "0.0.1", type: "source",
  props: { http: "$.interface.http", db: "$.service.db" },
  run({ body }) { this.db.set("count", (this.db.get("count") ?? 0) + 1); this.$emit({ ...body, count: this.db.get("count") }); },
};`;

/** The read part of a deployed trigger. */
type Trigger = { configured_props: { http: { endpoint_url: string } } };

/**
 * Print the cost of many external users with ten triggers each: memory of all runtimes, and the time to list a user's
 * triggers, all triggers and all users. Every trigger gets an event at once, so that each user's code runs.
 */
export async function measureExternalUsers(count: number): Promise<void> {
  console.log(`\n| ${COLUMNS.join(" | ")} |\n|${"---|".repeat(COLUMNS.length)}`);
  await withPlatform(async (platform) => {
    const operator = { url: platform.url.replace(/v1$/, "admin"), apiKey: platform.adminToken };
    await call(operator, "/registry", { component_code: COMPONENT });
    const project = await newProject(platform);
    for (let users = USERS_A_STAGE; users <= count; users += USERS_A_STAGE) {
      const added = Array.from({ length: USERS_A_STAGE }, (_, index) => users - 1 - index);
      const deployMs = await deployAll(project, added);
      const megabytes = (await memory(platform)) / MEGABYTE;
      const ofUser = () => `/deployed-triggers?external_user_id=${nameOf(randomBelow(users))}`;
      const lists = [
        await listed(project, ofUser),
        await listed(project, () => "/deployed-triggers?limit=100"),
        await listed(project, () => "/users?limit=100"),
      ];
      const counts = [users, users * TRIGGERS_A_USER, Math.round(megabytes)];
      console.log(`| ${[...counts, median(deployMs).toFixed(0), ...lists].join(" | ")} |`);
    }
  });
}

/** Deploy the triggers of users, a few in parallel, and send each an event. Resolves to the durations of deploys. */
async function deployAll(project: Caller, users: readonly number[]): Promise<number[]> {
  const left = users.flatMap((user) => Array.from({ length: TRIGGERS_A_USER }, () => user));
  const times: number[] = [];
  const work = async (): Promise<void> => {
    for (let user = left.pop(); user !== undefined; user = left.pop()) {
      const startedMs = performance.now();
      const body = { id: "bench-trigger", external_user_id: nameOf(user) };
      const trigger = await call<Trigger>(project, "/triggers/deploy", body);
      times.push(performance.now() - startedMs);
      const response = await fetch(trigger.configured_props.http.endpoint_url, {
        method: "POST",
        body: `{"order":1}`,
      });
      if (!response.ok) throw new Error(`An endpoint returned ${response.status}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: DEPLOYED_AT_ONCE }, work));
  return times;
}

async function listed(project: Caller, path: () => string): Promise<string> {
  const times: number[] = [];
  for (let made = 0; made < LISTS; made += 1) {
    const startedMs = performance.now();
    await call(project, path());
    times.push(performance.now() - startedMs);
  }
  const sorted = times.toSorted((a, b) => a - b);
  return [0.5, 0.99].map((share) => percentile(sorted, share).toFixed(1)).join(", ");
}

async function memory(platform: RunningPlatform): Promise<number> {
  const pids = await runtimesOf(platform);
  const bytes = await Promise.all(pids.map((pid) => memoryOf(pid)));
  return bytes.reduce<number>((sum, one) => sum + (one ?? 0), 0);
}

function nameOf(user: number): string {
  return `user-${user}`;
}

function randomBelow(limit: number): number {
  return Math.floor(Math.random() * limit);
}
