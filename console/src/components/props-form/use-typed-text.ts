import { useEffect, useRef, useState } from "react";

/**
 * The text of a field that determines its value. Typed text stays unchanged; the text follows the value only if that
 * changes by other means.
 */
export function useTypedText(
  value: unknown,
  written: (value: unknown) => string,
  onType: (text: string) => unknown,
): [string, (text: string) => void] {
  const [text, setText] = useState(() => written(value));
  const own = useRef(value);
  useEffect(() => {
    if (value === own.current) return;
    own.current = value;
    setText(written(value));
  }, [value, written]);
  const type = (next: string) => {
    setText(next);
    own.current = onType(next);
  };
  return [text, type];
}
