/** The figures of one minute. */
export type Minute = {
  events: number;
  deliveries: number;
  memoryMb: number;
  descriptors: number;
  diskKb: number;
};

/** The maximum deviation from the middle in the last half. */
const MEMORY_SHARE = 0.05;
const DESCRIPTORS = 10;

/** The bytes that a delivery may leave on disk, over the last half. */
const MAX_KB_PER_DELIVERY = 0.5;

/** The last of these minutes as a row of a table. */
export function lineOf(minutes: readonly Minute[]): string {
  const [before, last] = [minutes.at(-2), minutes.at(-1)];
  if (!last) return "";
  const kb = before ? ((last.diskKb - before.diskKb) / (last.deliveries || 1)).toFixed(2) : "-";
  const { events, deliveries, memoryMb, descriptors, diskKb } = last;
  const cells = [minutes.length, events, deliveries, memoryMb.toFixed(0), descriptors];
  return `| ${[...cells, (diskKb / 1024).toFixed(1), kb].join(" | ")} |`;
}

/** The maximum memory of all processes of a platform with many packages, at any time. */
const MAX_MEMORY_MB = 2048;

/** The faults of the memory: too much, or a last quarter above the second by more than the allowed deviation. */
export function judgeMemory(minutes: readonly Minute[]): string[] {
  const memory = minutes.map(({ memoryMb }) => memoryMb);
  const most = Math.max(...memory);
  const quarter = Math.ceil(memory.length / 4);
  const [early, late] = [memory.slice(quarter, 2 * quarter), memory.slice(-quarter)].map(
    (part) => part.reduce((sum, mb) => sum + mb, 0) / part.length,
  );
  const growth = (late ?? 0) / (early ?? 1) - 1;
  return [
    ...(most > MAX_MEMORY_MB ? [`Memory is up to ${most.toFixed(0)} MB`] : []),
    ...(growth > MEMORY_SHARE ? [`Memory grows by ${(100 * growth).toFixed(1)} %`] : []),
  ];
}

/** The faults of the last half; empty if it is flat. */
export function judge(minutes: readonly Minute[]): string[] {
  const half = minutes.slice(Math.floor(minutes.length / 2));
  const memory = spread(half.map(({ memoryMb }) => memoryMb));
  const descriptors = spread(half.map((minute) => minute.descriptors));
  const kb = kbPerDelivery(half);
  const share = memory.off / memory.middle;
  return [
    ...(share > MEMORY_SHARE ? [`Memory is ±${(100 * share).toFixed(1)} %`] : []),
    ...(descriptors.off > DESCRIPTORS ? [`Descriptors are ±${descriptors.off}`] : []),
    ...(kb > MAX_KB_PER_DELIVERY ? [`A delivery leaves ${kb.toFixed(2)} KB on disk`] : []),
  ];
}

/** The kilobytes that a delivery left on disk after the first of these minutes. Infinite without deliveries. */
function kbPerDelivery(minutes: readonly Minute[]): number {
  const [first, last] = [minutes[0], minutes.at(-1)];
  const deliveries = minutes.slice(1).reduce((sum, minute) => sum + minute.deliveries, 0);
  return deliveries === 0 || !first || !last ? Infinity : (last.diskKb - first.diskKb) / deliveries;
}

/** The middle between the minimum and the maximum, and the largest deviation. */
function spread(values: readonly number[]): { middle: number; off: number } {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return { middle: (least + most) / 2, off: (most - least) / 2 };
}
