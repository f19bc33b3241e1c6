import { Button, Empty } from "@cloudflare/kumo";
import { PlugsIcon, QuestionIcon, WarningIcon } from "@phosphor-icons/react";
import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router";
import { WellspringError } from "@wellspring/client";

import { errorMessage } from "../api/messages.ts";

/** Shown instead of a failed page: offline, refused, or broken. */
export function FailurePage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  if (error instanceof WellspringError && error.status === 404) return <NotFoundPage />;
  const { icon, title, description } = describe(error);
  return (
    <div className="p-8">
      <Empty
        icon={icon}
        title={title}
        description={description}
        contents={<Button onClick={retry}>Try again</Button>}
      />
    </div>
  );
}

/** Shown for a URL without a page. */
export function NotFoundPage() {
  return (
    <div className="p-8">
      <Empty
        icon={<QuestionIcon size={48} />}
        title="This page does not exist"
        description="It was deleted, belongs to another owner, or the address is mistyped."
        contents={<Link to="/">Home</Link>}
      />
    </div>
  );
}

function describe(error: unknown) {
  if (error instanceof WellspringError)
    return {
      icon: <WarningIcon size={48} />,
      title: error.message,
      description:
        error.requestId === undefined
          ? `HTTP ${error.status}`
          : `HTTP ${error.status}, request ${error.requestId}`,
    };
  if (error instanceof TypeError && !navigator.onLine)
    return {
      icon: <PlugsIcon size={48} />,
      title: "You are offline",
      description: "The page reloads its data once the connection is back.",
    };
  return {
    icon: <PlugsIcon size={48} />,
    title: "The platform cannot be reached",
    description: errorMessage(error),
  };
}
