import { Button, DropdownMenu } from "@cloudflare/kumo";
import { UserIcon } from "@phosphor-icons/react";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";

import { type Session, signOut } from "../api/session.ts";
import { chooseTheme, type Theme } from "./theme.ts";

const THEMES: { theme: Theme; label: string }[] = [
  { theme: "system", label: "Theme of the system" },
  { theme: "light", label: "Light" },
  { theme: "dark", label: "Dark" },
];

/** The menu of `AccountMenu`, initially open. */
export function AccountMenuPopup({ session: { user } }: { session: Session }) {
  const client = useQueryClient();
  const router = useRouter();
  const leave = async () => {
    await signOut();
    await router.navigate({ to: "/sign-in" });
    client.clear();
  };
  return (
    <DropdownMenu defaultOpen>
      <DropdownMenu.Trigger
        render={
          <Button variant="ghost" icon={<UserIcon />}>
            {user?.username ?? "Operator"}
          </Button>
        }
      />
      <DropdownMenu.Content>
        {THEMES.map(({ theme, label }) => (
          <DropdownMenu.Item key={theme} onClick={() => chooseTheme(theme)}>
            {label}
          </DropdownMenu.Item>
        ))}
        <DropdownMenu.Separator />
        <DropdownMenu.Item onClick={() => void leave()}>Sign out</DropdownMenu.Item>
      </DropdownMenu.Content>
    </DropdownMenu>
  );
}
