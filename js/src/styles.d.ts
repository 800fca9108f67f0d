/** Declares imports of style sheets: each gives its text, bundled and minified by the build. */
declare module "*.css" {
  const text: string;
  export default text;
}
