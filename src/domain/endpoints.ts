/** The URL of each HTTP interface, by the name of its prop. `endpoints` contains their keys. */
export function endpointUrls(
  origin: string,
  endpoints: Record<string, string>,
): Record<string, string> {
  const urls = Object.entries(endpoints).map(([prop, key]) => [prop, `${origin}/e/${key}`]);
  return Object.fromEntries(urls);
}
