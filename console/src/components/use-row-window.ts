import { type RefObject, useLayoutEffect, useState } from "react";

/** Every row has this height, so that the visible rows are computed without measuring. */
export const ROW_HEIGHT_PX = 45;

/** Rows beyond the visible ones, above and below. */
const OVERSCAN = 8;

/** Rows are added and removed in steps: fewer renders during scrolling. */
const STEP = 4;

/** Maximum rows in the document, regardless of the height of the window. */
const MAX_ROWS = 96;

/** The rows from `first` until before `end`. */
type RowWindow = { first: number; end: number };

/** The rows of a scrolling box that are in the document. */
export function useRowWindow(box: RefObject<HTMLElement | null>, count: number): RowWindow {
  const [top, setTop] = useState(0);
  const [visible, setVisible] = useState(() => rowsIn(innerHeight));
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    // The same number does not rerender.
    const onScroll = () => setTop(stepAt(element.scrollTop));
    const onResize = () => setVisible(rowsIn(innerHeight));
    onScroll();
    element.addEventListener("scroll", onScroll, { passive: true });
    addEventListener("resize", onResize);
    return () => {
      element.removeEventListener("scroll", onScroll);
      removeEventListener("resize", onResize);
    };
  }, [box]);
  const length = Math.min(MAX_ROWS, visible + STEP + 2 * OVERSCAN);
  // A filter may leave fewer rows than the scrolled ones.
  const first = Math.max(0, Math.min(top - OVERSCAN, count - length));
  return { first, end: Math.min(count, first + length) };
}

function rowsIn(heightPx: number): number {
  return Math.ceil(heightPx / ROW_HEIGHT_PX);
}

function stepAt(scrolledPx: number): number {
  return Math.floor(scrolledPx / ROW_HEIGHT_PX / STEP) * STEP;
}
