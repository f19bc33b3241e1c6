import { useLocation, useNavigate } from "@tanstack/react-router";
import { useState } from "react";

type Opening = {
  isOpen: boolean;
  key: string;
  setOpen: (isOpen: boolean) => void;
};

/**
 * Whether a dialog is open, and a key under which its contents begin anew each time that it opens. It is also open while the
 * URL ends in `hash`, so that a link leads to it.
 */
export function useOpening(hash?: string): Opening {
  const [{ isOpen, key }, change] = useState({ isOpen: false, key: 0 });
  const current = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const isNamed = hash !== undefined && current === hash;
  const setOpen = (next: boolean) => {
    if (!next && isNamed) void navigate({ to: ".", search: true, hash: "", replace: true });
    change((last) => ({ isOpen: next, key: next && !last.isOpen ? last.key + 1 : last.key }));
  };
  return { isOpen: isOpen || isNamed, key: `${key} ${isNamed}`, setOpen };
}
