import { Input } from "@cloudflare/kumo";

import { useTypedParam } from "./search-param.ts";

/** A filter of a list, whose text is in the URL as `name`. */
export function FilterField({
  label,
  name = "q",
  placeholder = "Filter by name or id",
}: {
  label: string;
  name?: string;
  placeholder?: string;
}) {
  const { typed, setTyped } = useTypedParam(name);
  return (
    <Input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      className="w-full sm:w-72"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}
