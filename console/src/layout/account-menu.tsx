import { Button } from "@cloudflare/kumo";
import { UserIcon } from "@phosphor-icons/react";
import { lazy, Suspense, useState } from "react";

import type { Session } from "../api/session.ts";

// The library of menus is loaded when this menu opens.
const Popup = lazy(async () => ({
  default: (await import("./account-menu-popup.tsx")).AccountMenuPopup,
}));

/** The current user, with the theme and signing out. */
export function AccountMenu({ session }: { session: Session }) {
  const [isWanted, setWanted] = useState(false);
  const button = (
    <Button
      variant="ghost"
      icon={<UserIcon />}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setWanted(true)}
    >
      {session.user?.username ?? "Operator"}
    </Button>
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <Popup session={session} />
    </Suspense>
  );
}
