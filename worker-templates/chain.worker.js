// How much a call may set going: each request to the platform and each trigger takes a share of its budget of runs.

/** Later children take this part of what is left, as a power of two: there is always something left for more. */
const LEAST_PART = 6;

/** Whether a request goes to the platform itself. */
export function isOwn(chain, input) {
  if (!chain) return false;
  const url = URL.parse(input instanceof Request ? input.url : String(input));
  return url !== null && chain.origins.includes(url.origin);
}

/**
 * Take a share of a call's budget: the first half of it, then ever smaller parts of what is left, so that a long
 * chain of single requests has enough, and so have many requests of one call. 0: nothing is left.
 */
export function takeShare(context) {
  const left = (context.chain?.budget ?? 0) - context.spent;
  context.children = (context.children ?? 0) + 1;
  const share = Math.min(left, Math.max(1, left >> Math.min(context.children, LEAST_PART)));
  context.spent += share;
  return share;
}
