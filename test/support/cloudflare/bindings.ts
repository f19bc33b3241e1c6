import type { Upload } from "./upload.ts";

/** What there is to bind to. */
export type Known = {
  databases: Map<string, string>;
  buckets: Set<string>;
  queues: Map<string, string>;
  namespaces: { names(): string[] };
  outbounds: Set<string>;
};

/** What the API would not take: a binding to something that is not there. */
export function problemOf(
  { bindings }: Upload,
  { databases, buckets, queues, namespaces, outbounds }: Known,
) {
  const known: Record<string, (binding: Upload["bindings"][number]) => boolean> = {
    d1: (binding) => [...databases.values()].includes(binding.id ?? binding.database_id ?? ""),
    r2_bucket: ({ bucket_name }) => buckets.has(bucket_name ?? ""),
    queue: ({ queue_name }) => queues.has(queue_name ?? ""),
    dispatch_namespace: ({ namespace, outbound }) =>
      namespaces.names().includes(namespace ?? "") &&
      outbounds.has(outbound?.worker?.service ?? ""),
  };
  const lost = bindings.find((binding) => known[binding.type]?.(binding) === false);
  return lost && `binding ${lost.name} of type ${lost.type} references what does not exist`;
}
