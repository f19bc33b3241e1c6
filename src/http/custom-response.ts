/** The argument of `respond()` as plain data. */
export type CustomResponse = {
  status: number;
  /** By name; a list for several of one name. */
  headers: Record<string, string | string[]>;
  body: string | Uint8Array | null;
};
