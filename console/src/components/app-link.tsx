import { Link } from "@tanstack/react-router";
import type { AnchorHTMLAttributes } from "react";

type Search = Record<string, unknown>;

/** A link to a page of the console with a computed path, which the router's types do not know. */
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
  /** Whether it is current on its path regardless of the query, like tabs. */
  isTab?: boolean;
  /** Whether it is also current on the pages below its path. */
  isWithin?: boolean;
}) {
  return (
    <Link
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the route validates its search; its type is not known here.
      search={(search ?? {}) as never}
      activeOptions={{ exact: !isWithin, includeSearch: !isTab }}
      {...link}
    />
  );
}
