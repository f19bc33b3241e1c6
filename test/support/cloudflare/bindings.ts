import { ApiError } from "./api.ts";
import { ACCOUNT_ID } from "./server.ts";
import type { Upload } from "./upload.ts";

/** The resources that a Worker can bind. */
export type Known = {
  databases: Map<string, string>;
  buckets: Set<string>;
  queues: Map<string, string>;
  namespaces: { names(): string[] };
  outbounds: Set<string>;
  workerOf: (name: string) => { upload: Upload | undefined };
};

/** The features of an account for Workers. */
export type Offers = { analytics: boolean; plan: "free" | "paid" };

/** Reject features that the account lacks. */
export function checkOffers({ bindings, limits }: Upload, { analytics, plan }: Offers): void {
  const has = (type: string): boolean => bindings.some((binding) => binding.type === type);
  if (plan === "free" && limits.cpu_ms !== undefined)
    throw new ApiError(400, 100_328, "CPU limits are not supported for the Free plan.");
  if (plan === "free" && has("worker_loader"))
    throw new ApiError(403, 10_195, "Dynamic Workers are not available on the Free plan.");
  if (!analytics && has("analytics_engine"))
    throw new ApiError(
      403,
      10_089,
      `You need to enable Analytics Engine. Head to the Cloudflare Dashboard to enable: https://dash.cloudflare.com/${ACCOUNT_ID}/workers/analytics-engine`,
    );
}

/** Reject a binding to a missing resource. */
export function checkTargets(
  { bindings }: Upload,
  { databases, buckets, queues, namespaces, outbounds, workerOf }: Known,
): void {
  for (const { type, name, service = "" } of bindings)
    if (type === "service" && !workerOf(service).upload)
      throw new ApiError(
        400,
        10_143,
        `Service binding '${name}' references Worker '${service}' which was not found. Make sure you have deployed it first.`,
      );
  const known: Record<string, (binding: Upload["bindings"][number]) => boolean> = {
    d1: (binding) => [...databases.values()].includes(binding.id ?? binding.database_id ?? ""),
    r2_bucket: ({ bucket_name }) => buckets.has(bucket_name ?? ""),
    queue: ({ queue_name }) => queues.has(queue_name ?? ""),
    dispatch_namespace: ({ namespace, outbound }) =>
      namespaces.names().includes(namespace ?? "") &&
      outbounds.has(outbound?.worker?.service ?? ""),
  };
  const lost = bindings.find((binding) => known[binding.type]?.(binding) === false);
  if (lost)
    throw new ApiError(
      400,
      10_021,
      `binding ${lost.name} of type ${lost.type} references a missing resource`,
    );
}
