import type { AnyInstance, Methods, None } from "./app-value.ts";
import type { Props, TypeOf, ValuesOf, WithoutUnknown } from "./props.ts";
import type { HttpEvent, TimerEvent, Withheld } from "./values.ts";

/** The strategy by which a source drops events that it has already emitted. */
export type Dedupe = "unique" | "greatest" | "last";

/** The metadata of an event. */
export type EmitMeta = {
  id?: string | number;
  /** The channel; without one, the default channel. */
  name?: string;
  /** The title of the event in lists. */
  summary?: string;
  /** The time of the event, epoch milliseconds: events are emitted in this order. */
  ts?: number;
  /** The time of its delivery, epoch milliseconds. */
  delivery_ts?: number;
};

/** Required for dedupe, which compares ids: an event without one is not emitted. */
type IdentifiedMeta = EmitMeta & { id: string | number };

type Emitter<D> = {
  $emit(
    event: unknown,
    ...meta: D extends Dedupe ? [meta: IdentifiedMeta] : [meta?: EmitMeta]
  ): void;
};

/** The argument of `run`, by the interfaces of the source. */
type EventOf<P> =
  | ("$.interface.http" extends TypeOf<P[keyof P]> ? HttpEvent : never)
  | ("$.interface.timer" extends TypeOf<P[keyof P]> ? TimerEvent : never) extends infer Event
  ? [Event] extends [never]
    ? Withheld
    : Event
  : never;

/** `this` in `run`, hooks, methods, `options` and `additionalProps` of a source. */
type SourceInstance<P, M, D> = ValuesOf<P> & M & Emitter<D>;

/** A source. */
export type Source<P, M, D> = {
  name: string;
  version: string;
  key?: string;
  type?: "source";
  description?: string;
  dedupe?: D;
  props?: { [Name in keyof P]: P[Name] } & ThisType<AnyInstance>;
  methods?: M;
  hooks?: {
    deploy?(): unknown;
    activate?(): unknown;
    deactivate?(): unknown;
  };
  run?(event: EventOf<P>): unknown;
  additionalProps?(previous: Props): Withheld;
  sampleEmit?: unknown;
  annotations?: unknown;
} & ThisType<SourceInstance<P, M, D>>;

/** Declare a source. Returns its argument, which runs in any environment for components. */
export function defineSource<
  const P extends Props = None,
  M extends Methods = None,
  const D extends Dedupe | undefined = undefined,
>(source: Source<P, M, D> & { props?: WithoutUnknown<NoInfer<P>> }): Source<P, M, D> {
  return source;
}
