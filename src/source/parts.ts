import type { EmissionMessage } from "../domain/messages.ts";
import { Alarm } from "./alarm.ts";
import { Arrivals } from "./arrivals.ts";
import { Deployments } from "./deployments.ts";
import { Endpoint } from "./endpoint.ts";
import { EventHistory } from "./history.ts";
import { Inbox, RECOVERY_DELAY_MS } from "./inbox.ts";
import { Invoker, type Sandbox } from "./invoker.ts";
import { Ledger } from "./ledger.ts";
import { Lifecycle } from "./lifecycle.ts";
import { Listener } from "./listener.ts";
import { Outbox, REDELIVERY_DELAY_MS } from "./outbox.ts";
import { Runner } from "./runner.ts";
import { ServiceDbStore } from "./service-db.ts";
import { Timers } from "./timers.ts";

type Outside = {
  storage: DurableObjectStorage;
  queue: Queue<EmissionMessage>;
  sourceId: string;
  sandbox: Sandbox;
};

/** Everything a source object is made of, wired together over its storage. */
export type Parts = ReturnType<typeof buildParts>;

export function buildParts({ storage, queue, sourceId, sandbox }: Outside) {
  const history = new EventHistory(storage.sql);
  const inbox = new Inbox(storage.sql);
  const arrivals = new Arrivals(storage.sql);
  const serviceDb = new ServiceDbStore(storage.sql);
  const deployments = new Deployments(storage.kv);
  const timers = new Timers(storage.kv);
  const outbox = new Outbox(queue, sourceId);

  const alarm = new Alarm(storage, () => {
    const oldestMs = history.oldestUndeliveredMs();
    const isUnfinished = !inbox.isEmpty() || deployments.status().phase === "changing";
    return earliest(
      timers.nextDueMs(),
      history.nextDueMs(),
      oldestMs === undefined ? undefined : Math.max(oldestMs, Date.now()) + REDELIVERY_DELAY_MS,
      isUnfinished ? Date.now() + RECOVERY_DELAY_MS : undefined,
    );
  });
  const ledger = new Ledger({ storage, history, inbox, arrivals, serviceDb, outbox, alarm });
  const invoker = new Invoker(sandbox, serviceDb);
  const lifecycle = new Lifecycle({ deployments, invoker, ledger, serviceDb, timers, alarm });
  const isChanging = (): boolean => lifecycle.isChanging();
  const runner = new Runner({
    storage,
    deployments,
    invoker,
    ledger,
    inbox,
    arrivals,
    alarm,
    isChanging,
  });
  const listener = new Listener({ deployments, runner, ledger, arrivals });
  const endpoint = new Endpoint({ deployments, runner, inbox, alarm });
  return {
    storage,
    history,
    inbox,
    deployments,
    timers,
    outbox,
    alarm,
    ledger,
    invoker,
    runner,
    lifecycle,
    endpoint,
    listener,
    arrivals,
  };
}

function earliest(...times: (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
