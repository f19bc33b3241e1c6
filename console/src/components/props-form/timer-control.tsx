import { Combobox, Input, Select } from "@cloudflare/kumo";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { errorMessage } from "../../api/messages.ts";
import { previewTimer } from "../../api/timers.ts";
import { Choice } from "../choice.tsx";
import { useDebounced } from "../use-debounced.ts";
import { type Schedule, scheduleOf } from "./check.ts";
import type { ControlProps } from "./control.ts";
import { Draft } from "./draft.ts";
import { FieldGroup } from "./field-group.tsx";
import { useTypedText } from "./use-typed-text.ts";

const DELAY_MS = 300;

const KINDS: { value: "interval" | "cron"; label: string }[] = [
  { value: "interval", label: "Every" },
  { value: "cron", label: "Cron expression" },
];

const UNITS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const;

type Unit = keyof typeof UNITS;

const TIMEZONES = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

const exact = (timezone: string) =>
  new Intl.DateTimeFormat(undefined, {
    dateStyle: "medium",
    timeStyle: "medium",
    timeZone: timezone,
  });

/** The schedule of a source: an interval, or a cron expression in a time zone, with its next ticks. */
export function TimerControl({ spec, value, onChange, texts }: ControlProps) {
  const schedule = scheduleOf(spec.fixed ?? (value instanceof Draft ? undefined : value));
  const [kind, setKind] = useState<"interval" | "cron">(
    schedule.cron === undefined ? "interval" : "cron",
  );
  const isFixed = spec.fixed !== undefined || spec.isDisabled;
  const choose = (next: "interval" | "cron") => {
    setKind(next);
    onChange(undefined);
  };
  return (
    <FieldGroup {...texts}>
      {!isFixed && (
        <div className="flex">
          <Choice label="Kind of schedule" value={kind} onChange={choose} options={KINDS} />
        </div>
      )}
      {kind === "interval" ? (
        <IntervalFields
          seconds={schedule.intervalSeconds}
          isDisabled={isFixed}
          onChange={onChange}
        />
      ) : (
        <CronFields schedule={schedule} isDisabled={isFixed} onChange={onChange} />
      )}
      <NextTicks schedule={schedule} />
    </FieldGroup>
  );
}

function IntervalFields({
  seconds,
  isDisabled,
  onChange,
}: {
  seconds: number | undefined;
  isDisabled: boolean;
  onChange: (value: unknown) => void;
}) {
  const [unit, setUnit] = useState<Unit>(() => unitOf(seconds));
  const [text, type] = useTypedText(
    seconds,
    (value) => (typeof value === "number" ? String(value / UNITS[unit]) : ""),
    (typed) => {
      const next = secondsIn(typed, unit);
      onChange(next === undefined ? undefined : { intervalSeconds: next });
      return next;
    },
  );
  const chooseUnit = (next: Unit | null) => {
    if (next === null) return;
    setUnit(next);
    const chosen = secondsIn(text, next);
    if (chosen !== undefined) onChange({ intervalSeconds: chosen });
  };
  return (
    <div className="flex gap-2">
      <Input
        aria-label="Length of the interval"
        type="number"
        min={1}
        className="w-28"
        disabled={isDisabled}
        value={text}
        onChange={(event) => type(event.target.value)}
      />
      <Select<Unit>
        aria-label="Unit of the interval"
        value={unit}
        disabled={isDisabled}
        onValueChange={chooseUnit}
        items={Object.fromEntries(Object.keys(UNITS).map((name) => [name, name]))}
      />
    </div>
  );
}

/** The largest unit that an interval is a whole number of. */
function unitOf(seconds: number = UNITS.minutes): Unit {
  if (seconds % UNITS.days === 0) return "days";
  if (seconds % UNITS.hours === 0) return "hours";
  return seconds % UNITS.minutes === 0 ? "minutes" : "seconds";
}

function secondsIn(text: string, unit: Unit): number | undefined {
  const number = Number(text);
  return text.trim() === "" || Number.isNaN(number) ? undefined : number * UNITS[unit];
}

function CronFields({
  schedule: { cron = "", timezone = "UTC" },
  isDisabled,
  onChange,
}: {
  schedule: Schedule;
  isDisabled: boolean;
  onChange: (value: unknown) => void;
}) {
  const change = (next: string, zone: string) =>
    onChange(next === "" ? undefined : { cron: next, timezone: zone });
  const [zone, setZone] = useState(timezone);
  return (
    <div className="flex flex-wrap gap-2">
      <Input
        aria-label="Cron expression"
        placeholder="0 9 * * 1-5"
        className="min-w-40 flex-1 font-mono"
        spellCheck={false}
        disabled={isDisabled}
        value={cron}
        onChange={(event) => change(event.target.value, zone)}
      />
      <Combobox<string>
        items={TIMEZONES}
        limit={100}
        disabled={isDisabled}
        value={zone}
        onValueChange={(next) => {
          setZone(next ?? "UTC");
          change(cron, next ?? "UTC");
        }}
      >
        <Combobox.TriggerInput aria-label="Time zone" placeholder="Time zone" />
        <Combobox.Content>
          <Combobox.Empty>No such time zone</Combobox.Empty>
          <Combobox.List>
            {(name: string) => (
              <Combobox.Item key={name} value={name}>
                {name}
              </Combobox.Item>
            )}
          </Combobox.List>
        </Combobox.Content>
      </Combobox>
    </div>
  );
}

/** The next ticks of a timer, computed by the platform. */
function NextTicks({ schedule }: { schedule: Schedule }) {
  const settled = useDebounced(JSON.stringify(schedule), DELAY_MS);
  const { data: ticks, error } = useQuery({
    queryKey: ["timer", settled],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the line above serialized it.
    queryFn: ({ signal }) => previewTimer(JSON.parse(settled) as Schedule, signal),
    enabled: settled !== "{}",
    staleTime: 10_000,
  });
  if (settled === "{}") return null;
  if (error) return <p className="text-sm text-kumo-danger">{errorMessage(error)}</p>;
  const zone = schedule.timezone ?? "UTC";
  const format = exact(TIMEZONES.includes(zone) ? zone : "UTC");
  return (
    <p className="text-sm text-kumo-subtle" aria-live="polite">
      Next ticks ({schedule.cron === undefined ? "UTC" : zone}):{" "}
      {ticks?.map((at) => format.format(at)).join(" · ") ?? "…"}
    </p>
  );
}
