/** Style sheets come as their text; the build bundles and minifies them. */
declare module "*.css" {
  const text: string;
  export default text;
}
