import { type QueryKey, useMutationState } from "@tanstack/react-query";

/** The key of the mutation that deletes a resource. */
export function deletionKey(id: string): QueryKey {
  return ["delete", id];
}

/**
 * Whether a resource is being deleted, or was: what its page reads at intervals or as a stream would not be found from
 * then on, until the page is left.
 */
export function useIsDeleted(id: string): boolean {
  const deletions = useMutationState({
    filters: {
      mutationKey: deletionKey(id),
      predicate: ({ state: { status } }) => status === "pending" || status === "success",
    },
    select: ({ mutationId }) => mutationId,
  });
  return deletions.length > 0;
}
