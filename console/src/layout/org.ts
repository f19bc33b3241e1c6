import { useSearch } from "@tanstack/react-router";

/** The workspace of the shown resources; undefined for the user's own. */
export function useOrg(): string | undefined {
  return useSearch({ from: "/shell" }).org;
}
