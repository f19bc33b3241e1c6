import { LinkButton as KumoLinkButton } from "@cloudflare/kumo";
import { useNavigate, useRouter } from "@tanstack/react-router";
import type { ComponentProps, MouseEvent, ReactNode } from "react";

type Look = Pick<
  ComponentProps<typeof KumoLinkButton>,
  "variant" | "size" | "icon" | "shape" | "aria-label"
>;

/** A link to a page of the console that looks like a button. */
export function LinkButton({
  to,
  search,
  children,
  ...look
}: Look & { to: string; search?: Record<string, unknown>; children?: ReactNode }) {
  const router = useRouter();
  const navigate = useNavigate();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the route validates its search; its type is not known here.
  const target = { to, search: (search ?? {}) as never };
  const { publicHref } = router.buildLocation(target);
  const open = (event: MouseEvent) => {
    // With a modifier the browser opens a new tab.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    void navigate(target);
  };
  return (
    <KumoLinkButton href={publicHref} onClick={open} variant="secondary" {...look}>
      {children}
    </KumoLinkButton>
  );
}
