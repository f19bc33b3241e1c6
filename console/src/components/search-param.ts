import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

/** A text of the URL's search and its setter. An empty text is removed from the URL; the others are unchanged. */
export function useSearchParam(name: string): [string, (value: string) => void] {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const value = search[name];
  const set = useCallback(
    (next: string) =>
      void navigate({
        to: ".",
        replace: true,
        resetScroll: false,
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the route validates its search; its type is not known here.
        search: ((previous: Record<string, unknown>) => ({
          ...previous,
          [name]: next === "" ? undefined : next,
        })) as never,
      }),
    [navigate, name],
  );
  return [typeof value === "string" ? value : "", set];
}
