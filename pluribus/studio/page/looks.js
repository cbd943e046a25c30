// How clusters look: colors that the color-blind can tell apart, then shapes.

export const COLORS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#B8A800"];
export const SHAPES = 5; // circle, diamond, square, triangle, cross

export const colorOf = (key) => COLORS[key % COLORS.length];
export const shapeOf = (key) => Math.floor(key / COLORS.length) % SHAPES;

const parts = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
const RGB = COLORS.map(parts);
export const rgbOf = (key) => RGB[key % RGB.length];

// A small picture of a cluster's color and shape, for lists.
export function swatch(key) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "-1 -1 2 2");
  svg.setAttribute("class", "swatch");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(svg.namespaceURI, "path");
  path.setAttribute("d", [
    "M-.8 0a.8 .8 0 1 1 1.6 0a.8 .8 0 1 1-1.6 0", "M0-.95L.95 0L0 .95L-.95 0Z", "M-.7-.7H.7V.7H-.7Z",
    "M0-.9L.9 .7H-.9Z", "M-.3-.9H.3V-.3H.9V.3H.3V.9H-.3V.3H-.9V-.3H-.3Z",
  ][shapeOf(key)]);
  path.setAttribute("fill", colorOf(key));
  svg.append(path);
  return svg;
}
