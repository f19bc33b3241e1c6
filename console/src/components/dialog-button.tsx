import { Button } from "@cloudflare/kumo";
import { useRouter } from "@tanstack/react-router";
import type { ComponentProps } from "react";

import { openDialog } from "./opening.ts";

/** A second button for a dialog that another place of the page has. */
export function DialogButton({
  name,
  ...button
}: Pick<ComponentProps<typeof Button>, "children" | "icon" | "variant"> & { name: string }) {
  const router = useRouter();
  return <Button {...button} aria-haspopup="dialog" onClick={() => openDialog(router, name)} />;
}
