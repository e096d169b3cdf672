// Sparklines: one or two series over the last two minutes, drawn as SVG.

const namespace = 'http://www.w3.org/2000/svg';
const width = 240;
const height = 40;

const samples = 120;
const fewest = 30;

export class Series {
  #values = [];

  get values() {
    return this.#values;
  }

  add(value) {
    this.#values.push(value);
    if (this.#values.length > samples) this.#values.shift();
  }
}

export function sparkline(label, kinds) {
  const svg = make('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', class: 'spark', role: 'img', 'aria-label': label });
  for (const kind of kinds) {
    svg.append(make('path', { class: `spark-area ${kind}` }), make('path', { class: `spark-line ${kind}`, 'vector-effect': 'non-scaling-stroke' }));
  }
  return svg;
}

export function draw(svg, series) {
  const top = Math.max(1e-9, ...series.flatMap(one => one.values.filter(value => value !== null)));
  series.forEach((one, i) => {
    const line = pathOf(one.values, top);
    svg.children[i * 2].setAttribute('d', line === '' ? '' : areaOf(one.values, line));
    svg.children[i * 2 + 1].setAttribute('d', line);
  });
}

function make(name, attributes) {
  const made = document.createElementNS(namespace, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}

// The newest value is at the right; the first ones share the room with the empty time before them.
function xOf(values, i) {
  const shown = Math.max(fewest, values.length);
  return (width * (shown - values.length + i)) / (shown - 1);
}

function pathOf(values, top) {
  let path = '';
  let isOpen = false;
  values.forEach((value, i) => {
    if (value === null) {
      isOpen = false;
      return;
    }
    const y = height - 2 - (height - 4) * (value / top);
    path += `${isOpen ? 'L' : 'M'}${xOf(values, i).toFixed(1)} ${y.toFixed(1)}`;
    isOpen = true;
  });
  return path;
}

function areaOf(values, line) {
  if (values.includes(null)) return '';
  return `${line}L${width} ${height}L${xOf(values, 0).toFixed(1)} ${height}Z`;
}
