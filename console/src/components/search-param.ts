import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";

/** The URL follows a typed text after this pause, so that no request is sent for each letter. */
const DELAY_MS = 200;

/**
 * A text of the URL's search and its setter. An empty text is removed from the URL; the others are unchanged. Each choice is an
 * entry of the history, so that the browser's back button undoes it, unless `replace` is set.
 */
export function useSearchParam(
  name: string,
  { replace = false } = {},
): [string, (value: string) => void] {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const value = search[name];
  const set = useCallback(
    (next: string) =>
      void navigate({
        to: ".",
        replace,
        resetScroll: false,
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the route validates its search; its type is not known here.
        search: ((previous: Record<string, unknown>) => ({
          ...previous,
          [name]: next === "" ? undefined : next,
        })) as never,
      }),
    [navigate, name, replace],
  );
  return [typeof value === "string" ? value : "", set];
}

type TypedText = {
  typed: string;
  setTyped: (text: string) => void;
  value: string;
};

/** The text of a field, and the text of the URL's search, which follows it; each changes with the other. */
export function useTypedParam(name: string): TypedText {
  // Each letter would be an entry of the history.
  const [value, setValue] = useSearchParam(name, { replace: true });
  return useTypedText(value, setValue);
}

/** The text of a field, and a text of the URL, which follows it after a pause; each changes with the other. */
export function useTypedText(
  value: string,
  setValue: (text: string) => void,
  delayMs = DELAY_MS,
): TypedText {
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
    }, delayMs);
    return () => clearTimeout(timer);
  }, [typed, setValue, delayMs]);
  return { typed, setTyped, value };
}
