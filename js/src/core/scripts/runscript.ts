/** Runs a script from a blob: URL, which the policies of notebook pages allow. */
export function runScript(code: Uint8Array): Promise<void> {
  const url = URL.createObjectURL(new Blob([code as BlobPart], { type: "text/javascript" }));
  const script = document.createElement("script");
  return new Promise<void>((resolve, reject) => {
    script.onload = () => resolve();
    script.onerror = () =>
      reject(new Error("The page blocks scripts from blob: URLs, which nbprof needs."));
    script.src = url;
    document.head.append(script);
  }).finally(() => {
    script.remove();
    URL.revokeObjectURL(url);
  });
}

/** Run a script as an inline element, which an exported page allows for the scripts that it carries. */
export async function runInline(code: Uint8Array): Promise<void> {
  const script = document.createElement("script");
  script.textContent = new TextDecoder().decode(code);
  document.head.append(script);
  script.remove();
}
