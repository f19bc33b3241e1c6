import { ApiError, type Route } from "./api.ts";
import { created, fieldsIn } from "./resources.ts";
import { BASE } from "./server.ts";
import type { DeployedWorker } from "./worker.ts";

/** The ids of the queues by their names, and the Workers. */
type Account = { queues: Map<string, string>; workerOf: (name: string) => DeployedWorker };

/** The routes of an account's queues. */
export function queueRoutes({ queues, workerOf }: Account): Route[] {
  const consumers = new Map<string, string>();
  const consumersOf = (name: string) => {
    const script = consumers.get(name);
    return script === undefined ? [] : [{ consumer_id: name, type: "worker", script }];
  };
  return [
    [
      `GET ${BASE}/queues`,
      ({ query }) => ({
        result: [...queues]
          .filter(([name]) => !query.has("name") || query.getAll("name").includes(name))
          .map(([name, id]) => ({
            queue_name: name,
            queue_id: id,
            producers: [],
            consumers: consumersOf(name),
          })),
      }),
    ],
    [`POST ${BASE}/queues`, ({ body }) => created(body, queues, "queue_name", "queue_id")],
    [
      `POST ${BASE}/queues/:id/consumers`,
      ({ params, body }) => {
        const [name] = [...queues].find(([, id]) => id === params["id"]) ?? [];
        const { dead_letter_queue: dead, script_name: script } = fieldsIn(body);
        if (name === undefined || (dead !== undefined && !queues.has(dead as string)))
          throw new ApiError(404, 11_000, "Queue not found");
        if (typeof script !== "string" || !workerOf(script).upload)
          throw new ApiError(400, 11_005, "script_name must be a Worker of this account");
        consumers.set(name, script);
        workerOf(script).consumed.add(name);
        workerOf(script).change();
        return { result: { consumer_id: name } };
      },
    ],
    [`PUT ${BASE}/queues/:id/consumers/:consumer`, () => ({ result: {} })],
  ];
}
