import { useSearch } from "@tanstack/react-router";

/** The workspace whose resources are shown; nothing for those that the user owns in person. */
export function useOrg(): string | undefined {
  return useSearch({ from: "/shell" }).org;
}
