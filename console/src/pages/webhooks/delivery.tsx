import { Button } from "@cloudflare/kumo";
import { ArrowClockwiseIcon, CaretLeftIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";

import {
  type Attempt,
  type DeliveryDetails,
  deliveryQuery,
  retryDelivery,
} from "../../api/webhooks.ts";
import { useAction } from "../../components/action.ts";
import { AppLink } from "../../components/app-link.tsx";
import { CopyText } from "../../components/copy.tsx";
import { LoadingRows } from "../../components/data-table.tsx";
import { EmitterLink } from "../../components/emitter-link.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { formatBytes, formatDuration } from "../../components/format.ts";
import { LINK } from "../../components/links.tsx";
import { Headers, Payload } from "../../components/payload.tsx";
import { Facts, Section } from "../../components/section.tsx";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import { useEmitterNames } from "./emitter-name.ts";

/** One delivery: its attempts, its request and its response. */
export function DeliveryPage() {
  const { id, deliveryId } = useParams({ from: "/shell/webhooks/$id/deliveries/$deliveryId" });
  const { data: delivery, error, refetch } = useQuery(deliveryQuery(id, deliveryId));
  const names = useEmitterNames(id);
  const retry = useAction({
    run: () => retryDelivery(id, deliveryId),
    done: "The delivery is sent again",
    changes: [["webhooks", id]],
  });
  return (
    <>
      <Link
        to="/webhooks/$id"
        params={{ id }}
        className={`${LINK} mb-4 inline-flex items-center gap-1`}
      >
        <CaretLeftIcon /> All deliveries
      </Link>
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {!delivery && !error && <LoadingRows label="Delivery" />}
      {delivery && (
        <>
          <Section
            title="Delivery"
            actions={
              <Button
                icon={<ArrowClockwiseIcon />}
                loading={retry.isPending}
                onClick={() => retry.mutate()}
              >
                Send again
              </Button>
            }
          >
            <Facts facts={factsOf(delivery, names)} />
          </Section>
          <Section title="Attempts">
            <Attempts attempts={delivery.attempts} hasResponse={delivery.response !== null} />
          </Section>
          <RequestSection request={delivery.request} />
          {delivery.response && <ResponseSection response={delivery.response} />}
        </>
      )}
    </>
  );
}

function factsOf(
  delivery: DeliveryDetails,
  names: ReadonlyMap<string, string>,
): [string, ReactNode][] {
  const { id, state, emitter_id, event_name, next_attempt_at } = delivery;
  const facts: [string, ReactNode][] = [
    ["State", <Status key="state" state={state} />],
    ["Delivery", <CopyText key="id" value={id} />],
    ["Event", <EventLink key="event" delivery={delivery} />],
    ["From", <EmitterLink key="from" id={emitter_id} name={names.get(emitter_id) ?? emitter_id} />],
    ["Channel", event_name === "" ? "default" : event_name],
  ];
  if (next_attempt_at !== undefined && (state === "pending" || state === "failed"))
    facts.push(["Next attempt", <Time key="next" at={next_attempt_at} />]);
  return facts;
}

/** The id of the delivered event, and of a source's event the link to it. */
function EventLink({
  delivery: { event_id: event, emitter_id: emitter, event_name: channel },
}: {
  delivery: DeliveryDetails;
}) {
  const isShown = emitter.startsWith("dc_") && !channel.startsWith("$");
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      <CopyText value={event} />
      {isShown && (
        <AppLink to={`/sources/${encodeURIComponent(emitter)}`} search={{ event }} className={LINK}>
          Open it
        </AppLink>
      )}
    </span>
  );
}

function Attempts({ attempts, hasResponse }: { attempts: Attempt[]; hasResponse: boolean }) {
  if (attempts.length === 0)
    return <p className="text-kumo-subtle">There was no attempt yet. The first follows at once.</p>;
  const numbered = attempts.map((attempt, index) => ({ attempt, number: index + 1 })).toReversed();
  return (
    <ol reversed className="flex flex-col gap-2">
      {numbered.map(({ attempt, number }) => (
        <li key={attempt.at_ms} className="rounded-lg bg-kumo-base p-3 ring ring-kumo-line">
          <AttemptView
            attempt={attempt}
            number={number}
            isOpen={number === attempts.length && !hasResponse}
          />
        </li>
      ))}
    </ol>
  );
}

function AttemptView({
  attempt: { at_ms, status, latency_ms, error, response },
  number,
  isOpen,
}: {
  attempt: Attempt;
  number: number;
  isOpen: boolean;
}) {
  const isGood = status !== null && status >= 200 && status < 300;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className="font-medium">Attempt {number}</span>
        <Status
          state={isGood ? "succeeded" : "failed"}
          label={status === null ? "No response" : `HTTP ${status}`}
        />
        <span className="tabular-nums">{formatDuration(latency_ms)}</span>
        <span className="text-kumo-subtle">
          <Time at={at_ms} />
        </span>
      </div>
      {error !== undefined && <p className="break-words text-kumo-danger">{error}</p>}
      {response !== undefined && (
        <details open={isOpen}>
          <summary className="cursor-pointer text-sm text-kumo-subtle">Response</summary>
          <div className="mt-2">
            <Payload text={response} label="response" />
          </div>
        </details>
      )}
    </div>
  );
}

function RequestSection({ request }: { request: DeliveryDetails["request"] }) {
  const { method, url, headers, body, body_bytes, truncated } = request;
  return (
    <Section
      title="Request"
      description={`The request of the last attempt, without the signatures. The body has ${formatBytes(body_bytes)}${truncated ? ", of which the beginning is shown" : ""}.`}
    >
      <p className="font-mono text-sm break-all">
        {method} {url}
      </p>
      <Headers headers={headers} label="Headers of the request" />
      <Payload text={body} label="body" />
    </Section>
  );
}

function ResponseSection({ response }: { response: NonNullable<DeliveryDetails["response"]> }) {
  const { headers, body, truncated } = response;
  return (
    <Section
      title="Response"
      description={`To the last attempt. The values of headers that may be secret are hidden.${truncated ? " The beginning of the body is shown." : ""}`}
    >
      <Headers headers={headers} label="Headers of the response" />
      <Payload text={body} label="response" />
    </Section>
  );
}
