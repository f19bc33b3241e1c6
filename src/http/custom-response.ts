/** What `respond()` was given, made sendable. */
export type CustomResponse = {
  status: number;
  /** By name; a list where there are several of one. */
  headers: Record<string, string | string[]>;
  body: string | Uint8Array | null;
};
