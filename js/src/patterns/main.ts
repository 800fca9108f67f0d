/**
 * The entry of the script `patterns`, which matches regular expressions of RE2's syntax in linear
 * time, as Arrow does in Python. It is loaded once a `/…/` is searched for without Python.
 */
import { RE2JS, RE2JSException } from "re2js";

/** Compiles an expression, ignoring case; returns an error message where it is invalid. */
export type Compile = (source: string) => ((text: string) => boolean) | string;

const compile: Compile = (source) => {
  try {
    const pattern = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
    return (text) => pattern.test(text);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    // The message ends with the position, in backquotes.
    return error.message.replace(/^error parsing regexp: |: `[\s\S]*$/g, "");
  }
};

export default compile;
