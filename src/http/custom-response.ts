/** The argument of `respond()` as plain data. */
export type CustomResponse = {
  status: number;
  /** By name; a list where there are several of one. */
  headers: Record<string, string | string[]>;
  body: string | Uint8Array | null;
};
