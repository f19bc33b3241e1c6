import type { ReactNode } from "react";

/** The heading of a part of a page. */
export function SectionTitle({
  children,
  id,
  level = 2,
}: {
  children: ReactNode;
  id?: string;
  level?: 2 | 3;
}) {
  const Heading = level === 2 ? "h2" : "h3";
  return (
    <Heading id={id} className="text-base font-semibold">
      {children}
    </Heading>
  );
}
