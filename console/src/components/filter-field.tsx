import { Input } from "@cloudflare/kumo";
import { useEffect, useRef, useState } from "react";

import { useSearchParam } from "./search-param.ts";

/** The URL follows the typed text after this pause, so that no request is sent for each letter. */
const DELAY_MS = 200;

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
  const [value, setValue] = useSearchParam(name);
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    // The URL changed by other means, such as the browser's back button.
    if (value === sent.current) return;
    sent.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => {
    if (typed === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = typed;
      setValue(typed);
    }, DELAY_MS);
    return () => clearTimeout(timer);
  }, [typed, setValue]);
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
