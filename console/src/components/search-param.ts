import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";

/** The URL follows a typed text after this pause, so that no request is sent for each letter. */
const DELAY_MS = 200;

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

/** The text of a field, and the text of the URL's search, which follows it; each changes with the other. */
export function useTypedParam(name: string): {
  typed: string;
  setTyped: (text: string) => void;
  value: string;
} {
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
    const text = typed.trim();
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      setValue(text);
    }, DELAY_MS);
    return () => clearTimeout(timer);
  }, [typed, setValue]);
  return { typed, setTyped, value };
}
