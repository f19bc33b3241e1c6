import { Banner } from "@cloudflare/kumo";
import { InfoIcon, WarningIcon } from "@phosphor-icons/react";

import { CopyText } from "../copy.tsx";
import { RichText } from "./rich-text.tsx";
import { isObject, type PropSpec } from "./spec.ts";

const ALERT_VARIANTS: Record<string, "default" | "secondary" | "alert" | "error"> = {
  neutral: "secondary",
  warning: "alert",
  error: "error",
};

/** The text of a prop without a value: that of the component's author, or a note about the URL. */
export function Note({ spec, configured }: { spec: PropSpec; configured: unknown }) {
  if (spec.type === "alert") return <AlertNote spec={spec} />;
  const url = isObject(configured) ? configured["endpoint_url"] : undefined;
  return (
    <div className="flex flex-col gap-1">
      <p className="text-base font-medium">{spec.label}</p>
      {typeof url === "string" ? (
        <CopyText value={url} what="URL" />
      ) : (
        <p className="text-sm text-kumo-subtle">
          Requests to an endpoint run the source. It gets its URL as it is deployed.
        </p>
      )}
      {spec.description !== undefined && (
        <p className="text-sm text-kumo-subtle">
          <RichText text={spec.description} />
        </p>
      )}
    </div>
  );
}

function AlertNote({ spec: { alertType = "info", content } }: { spec: PropSpec }) {
  if (content === "") return null;
  const isGrave = alertType === "warning" || alertType === "error";
  return (
    <Banner
      size="sm"
      variant={ALERT_VARIANTS[alertType] ?? "default"}
      icon={isGrave ? <WarningIcon weight="fill" /> : <InfoIcon weight="fill" />}
      description={<RichText text={content} />}
    />
  );
}
