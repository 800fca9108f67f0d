/** Lowers the case of text as Arrow does. */
import { ASCII } from "./match";

/** Lower the case character by character, without context rules, keeping the length. */
export function lower(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return [...text].map((char) => [...char.toLowerCase()][0]).join("");
}
