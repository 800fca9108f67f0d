/** What the tests use of Node, whose own types are not installed. */
declare module "node:child_process" {
  export function execFileSync(
    file: string,
    args: string[],
    options: { input: string; encoding: "utf8" },
  ): string;
}
