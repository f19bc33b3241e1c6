import { useState } from "react";

/** Whether a dialog is open, and a key under which its contents begin anew each time that it opens. */
export function useOpening(): {
  isOpen: boolean;
  key: number;
  setOpen: (isOpen: boolean) => void;
} {
  const [{ isOpen, key }, change] = useState({ isOpen: false, key: 0 });
  const setOpen = (next: boolean) =>
    change((last) => ({ isOpen: next, key: next && !last.isOpen ? last.key + 1 : last.key }));
  return { isOpen, key, setOpen };
}
