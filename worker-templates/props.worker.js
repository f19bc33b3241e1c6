/**
 * A component as its author wrote it.
 * @typedef {object} Component
 * @property {any} [name]
 * @property {any} [version]
 * @property {any} [type]
 * @property {any} [key]
 * @property {any} [description]
 * @property {any} [dedupe]
 * @property {Record<string, any>} [props]
 * @property {Record<string, any>} [methods]
 * @property {Record<string, any>} [hooks]
 * @property {any} [run]
 * @property {any} [additionalProps]
 * @property {any} [sampleEmit]
 * @property {any} [annotations]
 */

/**
 * The effective prop: a bare type string is expanded, and the component's own fields override its propDefinition.
 * Throws a TypeError if the named definition does not exist.
 * @param {string} name
 * @param {any} declared as the component has it
 * @returns {any}
 */
export function resolveProp(name, declared) {
  const prop = spelledOut(name, declared);
  if (!prop.propDefinition) return prop;
  const definition = propDefinitionOf(name, prop);
  const { propDefinition: _, ...own } = prop;
  return { ...resolveProp(name, definition), ...own };
}

/**
 * The props of an object by name. A false condition leaves `false` or nothing in the place of a prop.
 * @param {Record<string, any> | undefined} props
 * @returns {[string, any][]}
 */
export function propEntries(props) {
  return Object.entries(props ?? {}).filter(
    ([, prop]) => prop !== undefined && prop !== null && prop !== false,
  );
}

/**
 * Expand a prop that is only its type (docs/contract.md: Prop types).
 * @param {string} name
 * @param {any} declared as the component has it
 * @returns {any}
 */
export function spelledOut(name, declared) {
  const prop = typeof declared === "string" ? { type: declared } : declared;
  if (typeof prop !== "object" || prop === null)
    throw new TypeError(`props.${name} must be an object or a type name`);
  return prop;
}

/**
 * The prop that `propDefinition: [app, name]` refers to.
 * @param {string} name
 * @param {{ propDefinition: [any, string, ...unknown[]] }} prop
 * @returns {any}
 */
export function propDefinitionOf(name, { propDefinition: [app, definitionName] }) {
  const definition = app?.propDefinitions?.[definitionName];
  if (!definition)
    throw new TypeError(`props.${name}: its app has no propDefinition named "${definitionName}"`);
  return definition;
}

/**
 * The app object on `self` of a propDefinition's app: of the same prop, else of one of its kind.
 * @param {any} app
 * @param {Component} component
 * @param {Record<string, any>} self
 */
export function appFor(app, { props = {} }, self) {
  const entries = Object.entries(props);
  const [name] =
    entries.find(([, prop]) => prop === app) ??
    entries.find(([, prop]) => prop?.type === "app" && prop.app === app.app) ??
    [];
  return (name === undefined ? undefined : self[name]) ?? buildApp(app);
}

/**
 * An app's own methods see the app object as `this`, with the credentials of its account.
 * @param {Record<string, any>} app
 * @param {any} [value]
 * @returns {Record<string, any>}
 */
export function buildApp({ methods, ...app }, value) {
  const self = { ...app, ...value, $auth: value?.$auth ?? {} };
  bindMethods(self, methods);
  return self;
}

/**
 * Bind all methods, because components pass them around detached (`xs.forEach(this.emit)`).
 * @param {Record<string, any>} self
 * @param {Record<string, any>} [methods]
 */
export function bindMethods(self, methods = {}) {
  for (const [name, method] of Object.entries(methods))
    setOwn(self, name, typeof method === "function" ? method.bind(self) : method);
}

/**
 * Define an own property of an object, under any name: an assignment to `__proto__` would not.
 * @param {Record<string, any>} object
 * @param {string} name
 * @param {unknown} value
 */
export function setOwn(object, name, value) {
  if (name !== "__proto__") object[name] = value;
  else
    Object.defineProperty(object, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
}

/**
 * An own property of an object, not an inherited one such as `constructor`.
 * @param {Record<string, any>} object
 * @param {string} name
 * @returns {any}
 */
export function ownOf(object, name) {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
