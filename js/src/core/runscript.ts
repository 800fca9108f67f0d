/** Run a script from a blob: URL, which is what the pages of notebooks allow. */
export function runScript(code: Uint8Array): Promise<void> {
  const url = URL.createObjectURL(new Blob([code as BlobPart], { type: "text/javascript" }));
  const script = document.createElement("script");
  return new Promise<void>((resolve, reject) => {
    script.onload = () => resolve();
    script.onerror = () =>
      reject(new Error("The page forbids scripts from blob: URLs, which are needed here."));
    script.src = url;
    document.head.append(script);
  }).finally(() => {
    script.remove();
    URL.revokeObjectURL(url);
  });
}
