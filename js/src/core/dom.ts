/** Creates DOM elements from plain values. Text always becomes a text node, never markup. */

export type Child = Node | string | number | null | undefined | false | readonly Child[];
export type Attributes = Record<string, string | number | boolean | null | undefined>;
type Handlers = {
  [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void;
};

export interface Make {
  <K extends keyof HTMLElementTagNameMap>(
    tag: K,
    attributes?: Attributes,
    ...children: Child[]
  ): HTMLElementTagNameMap[K];
  /** Add listeners to an element until the view is removed. */
  on<E extends HTMLElement>(element: E, handlers: Handlers): E;
}

/** Elements with listeners that were added by `on`. */
const listening = new WeakSet<Node>();

/** Return a function that creates elements; their listeners end with `signal`. */
export function maker(signal: AbortSignal): Make {
  const make = ((tag: string, attributes: Attributes = {}, ...children: Child[]) => {
    const element = document.createElement(tag);
    setAttributes(element, attributes);
    element.append(...nodes(children));
    return element;
  }) as Make;
  make.on = (element, handlers) => {
    listening.add(element);
    for (const [name, handler] of Object.entries(handlers)) {
      element.addEventListener(name, handler as EventListener, { signal });
    }
    return element;
  };
  return make;
}

export function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

function nodes(children: readonly Child[]): Node[] {
  return children.flatMap((child) => {
    if (child === null || child === undefined || child === false) return [];
    if (Array.isArray(child)) return nodes(child as readonly Child[]);
    return [child instanceof Node ? child : document.createTextNode(String(child))];
  });
}

/** Replace the children of an element. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...nodes(children));
}

/**
 * Replace the children of an element by new ones that nobody else holds. What is equal stays, so that
 * the browser styles and lays out only what differs; elements with listeners are replaced as a whole.
 */
export function renew(element: Element, ...children: Child[]): void {
  const before = [...element.childNodes];
  const after = nodes(children);
  for (const one of before.slice(after.length)) one.remove();
  after.forEach((child, at) => {
    const old = before[at];
    if (!old) element.append(child);
    else if (child instanceof Text && old instanceof Text) setText(old, child.data);
    else if (listening.has(child) || !old.cloneNode().isEqualNode(child.cloneNode()))
      old.replaceWith(child);
    else renew(old as Element, ...child.childNodes);
  });
}

/** Set a text; an equal one would be styled and laid out again, too. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}
