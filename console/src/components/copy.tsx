import { Button, InlineCopyText } from "@cloudflare/kumo";
import { CheckIcon, CopyIcon, PathIcon } from "@phosphor-icons/react";
import { useEffect, useState } from "react";

const COPIED_MS = 1500;

/** An id or another short text, copied by a click. `what` names it: `id`, `URL`. */
export function CopyText({ value, what = "id" }: { value: string; what?: string }) {
  return (
    <InlineCopyText truncate labels={{ copyAction: `Copy ${what} ${value}`, copied: "Copied" }}>
      {value}
    </InlineCopyText>
  );
}

/** A button that copies a text, which is computed on the click. */
export function CopyButton({
  label,
  text,
  isIconOnly = false,
  kind = "value",
}: {
  label: string;
  text: () => string;
  isIconOnly?: boolean;
  kind?: "value" | "path";
}) {
  const { isCopied, copy } = useCopy();
  const CopyKindIcon = kind === "path" ? PathIcon : CopyIcon;
  const icon = isCopied ? <CheckIcon /> : <CopyKindIcon />;
  const onClick = () => void copy(text());
  if (isIconOnly)
    return (
      <Button
        variant="ghost"
        size="xs"
        shape="square"
        icon={icon}
        aria-label={isCopied ? "Copied" : label}
        title={label}
        onClick={onClick}
      />
    );
  return (
    <Button size="sm" icon={icon} onClick={onClick}>
      {isCopied ? "Copied" : label}
    </Button>
  );
}

/** Copies texts, and whether the last copy was a moment ago. */
function useCopy(): { isCopied: boolean; copy: (text: string) => Promise<void> } {
  const [copiedAt, setCopiedAt] = useState<number>();
  useEffect(() => {
    if (copiedAt === undefined) return;
    const timer = setTimeout(() => setCopiedAt(undefined), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copiedAt]);
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text);
    setCopiedAt(Date.now());
  };
  return { isCopied: copiedAt !== undefined, copy };
}
