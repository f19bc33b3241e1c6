import { useLocation, useNavigate } from "@tanstack/react-router";
import { useState } from "react";

type Opening = {
  isOpen: boolean;
  key: number;
  setOpen: (isOpen: boolean) => void;
};

/**
 * Whether a dialog is open, and a key that resets its content each time it opens. It is also open while the URL ends in
 * `hash`, so that links can open it.
 */
export function useOpening(hash?: string): Opening {
  const [{ isOpen, key }, change] = useState({ isOpen: false, key: 0 });
  const current = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const isNamed = hash !== undefined && current === hash;
  const [wasNamed, setWasNamed] = useState(false);
  const turn = (next: boolean) =>
    change((last) => ({ isOpen: next, key: next && !last.isOpen ? last.key + 1 : last.key }));
  // The URL changed by other means, such as a link or the browser's back button.
  if (isNamed !== wasNamed) {
    setWasNamed(isNamed);
    turn(isNamed);
  }
  const setOpen = (next: boolean) => {
    if (!next && isNamed) void navigate({ to: ".", search: true, hash: "", replace: true });
    turn(next);
  };
  return { isOpen, key, setOpen };
}
