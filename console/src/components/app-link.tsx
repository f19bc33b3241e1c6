import { Link } from "@tanstack/react-router";
import type { AnchorHTMLAttributes } from "react";

type Search = Record<string, unknown>;

/** A link to a page of the console whose path is put together from data, so that the router's types do not know it. */
export function AppLink({
  search,
  isTab = false,
  isWithin = false,
  ...link
}: Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href" | "target"> & {
  to: string;
  target?: string;
  search?: Search | ((previous: Search) => Search);
  resetScroll?: boolean;
  /** Whether it is current on its path regardless of the query, as tabs are. */
  isTab?: boolean;
  /** Whether it is current on the pages below its path, too. */
  isWithin?: boolean;
}) {
  return (
    <Link
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the route validates what it gets; its type is not known here.
      search={(search ?? {}) as never}
      activeOptions={{ exact: !isWithin, includeSearch: !isTab }}
      {...link}
    />
  );
}
