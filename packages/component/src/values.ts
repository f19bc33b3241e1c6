/** A value whose type the platform does not know: `any` to a component, which knows. */
// oxlint-disable-next-line typescript/no-explicit-any -- it is the component that knows what its caller sends.
export type Withheld = any;

/** `$.service.db`: what a source keeps between its runs, JSON-serializable. */
export type Db = {
  /** The value of a key; undefined when there is none. */
  get(key: string): Withheld;
  /** Keep a value; undefined takes the key away. */
  set(key: string, value: unknown): void;
};

/** A data store, which several components may share. */
export type DataStore = {
  get(key: string): Promise<Withheld>;
  /** `ttl`: for so many seconds. */
  set(key: string, value: unknown, options?: { ttl?: number }): Promise<void>;
  setTtl(key: string, ttl: number | null): Promise<boolean>;
  has(key: string): Promise<boolean>;
  delete(key: string): Promise<boolean>;
  clear(): Promise<void>;
  keys(): Promise<string[]>;
  [Symbol.asyncIterator](): AsyncIterator<[string, Withheld]>;
};

/** A request that its user configured. */
export type HttpRequest = {
  execute(): Promise<{ data: Withheld; status: number; headers: Record<string, string> }>;
};

/** When a timer fires. */
export type TimerValue =
  | { cron: null; interval_seconds: number }
  | { cron: string; timezone?: string };

/** The argument of `run` for a request to `$.interface.http`. */
export type HttpEvent = {
  method: string;
  path: string;
  url: string;
  client_ip: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** A name that comes twice holds a list. */
  query: Record<string, string | string[]>;
  bodyRaw: string;
  /** Absent where the request has none. */
  body?: Withheld;
  isBase64Encoded?: true;
};

/** The argument of `run` when `$.interface.timer` fires. */
export type TimerEvent = {
  /** Epoch seconds. */
  timestamp: number;
  interval_seconds?: number;
  cron?: string | null;
  timezone?: string;
};
