/** The name of an action's function among those of its app. */
export function functionOfAction(key: string, app: string): string {
  const prefix = `${app}-`;
  return camelCase(key.startsWith(prefix) ? key.slice(prefix.length) : key);
}

/** The call of an action in a program: `apps.slack.sendMessage`; by its key if it uses no app. */
export function callOfAction(key: string, apps: readonly string[]): string {
  const app = apps.find((slug) => key.startsWith(`${slug}-`)) ?? apps[0];
  if (app === undefined) return `run(${JSON.stringify(key)}, args)`;
  return `apps${memberOf(app)}${memberOf(functionOfAction(key, app))}(args)`;
}

/** The key of an app's function, if its words are separated as usual. */
export function keyOfFunction(app: string, name: string): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();
  return `${app}-${words}`;
}

function camelCase(text: string): string {
  return text.replaceAll(/[^A-Za-z\d]+([A-Za-z\d])/g, (_, letter: string) => letter.toUpperCase());
}

function memberOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
