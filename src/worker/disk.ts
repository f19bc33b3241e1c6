import { errorMessage } from "#domain/errors.ts";

/**
 * Whether an operation failed because the disk of a local run is full. D1 reports no reason, so the process that
 * started the platform checks.
 */
export async function isDiskFull(thrown: unknown, { DISK }: Pick<Env, "DISK">): Promise<boolean> {
  if (/database or disk is full|SQLITE_FULL/.test(errorMessage(thrown))) return true;
  if (!DISK) return false;
  try {
    await requireSpace({ DISK });
    return false;
  } catch (full) {
    return full instanceof DiskFull;
  }
}

class DiskFull extends Error {
  override readonly name = "DiskFull";
}

/** Throws if the disk of a local run is full. */
export async function requireSpace({ DISK }: Pick<Env, "DISK">): Promise<void> {
  const response = await DISK?.fetch("http://disk/");
  if (response?.status === 507) throw new DiskFull("The disk is full");
}
