/** A value of a type that only the component knows: `any`. */
// oxlint-disable-next-line typescript/no-explicit-any -- only the component knows its caller's type.
export type Withheld = any;

/** `$.service.db`: the state of a source between its runs, JSON-serializable. */
export type Db = {
  /** The value of a key; undefined if there is none. */
  get(key: string): Withheld;
  /** Store a value; undefined deletes the key. */
  set(key: string, value: unknown): void;
};

/** A data store, which several components may share. */
export type DataStore = {
  get(key: string): Promise<Withheld>;
  /** `ttl`: seconds until the record expires. */
  set(key: string, value: unknown, options?: { ttl?: number }): Promise<void>;
  setTtl(key: string, ttl: number | null): Promise<boolean>;
  has(key: string): Promise<boolean>;
  delete(key: string): Promise<boolean>;
  clear(): Promise<void>;
  keys(): Promise<string[]>;
  [Symbol.asyncIterator](): AsyncIterator<[string, Withheld]>;
};

/** A request that a user configured. */
export type HttpRequest = {
  execute(): Promise<{ data: Withheld; status: number; headers: Record<string, string> }>;
};

/** The schedule of a timer. */
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
  /** A repeated name has a list of values. */
  query: Record<string, string | string[]>;
  /** The text of the body, or base64 of its bytes. */
  bodyRaw: string;
  /** Absent if the request has none. */
  body?: Withheld;
  /** Present if `bodyRaw` is base64, because the bytes are not UTF-8. */
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
