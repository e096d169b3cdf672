// Sparklines: one or two series over up to two minutes, drawn as SVG, with what their height and their width stand for.

const namespace = 'http://www.w3.org/2000/svg';
const width = 240;
const height = 40;

const samples = 120; // one a second

const widths = [[30, '30 s'], [60, '1 min'], [samples, '2 min']];

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

// A chart of one or more lines. Its scale goes from zero to `top`, or to a round number above the highest value.
export function sparkline(label, kinds, format, top = null) {
  const svg = make('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', class: 'spark', role: 'img', 'aria-label': label });
  svg.append(make('line', { class: 'spark-top', x1: 0, y1: 1, x2: width, y2: 1, 'vector-effect': 'non-scaling-stroke' }));
  for (const kind of kinds) {
    svg.append(make('path', { class: `spark-area ${kind}` }), make('path', { class: `spark-line ${kind}`, 'vector-effect': 'non-scaling-stroke' }));
  }
  const box = document.createElement('div');
  box.className = 'chart';
  const scale = document.createElement('span');
  scale.className = 'scale';
  scale.setAttribute('aria-hidden', 'true');
  box.append(scale, svg);
  return { box, svg, scale, label, format, top };
}

export function draw({ svg, scale, label, format, top }, series) {
  const end = top ?? roundUp(Math.max(0, ...series.flatMap(one => one.values.filter(value => value !== null))));
  const [shown, time] = widths.find(([most]) => series[0].values.length <= most);
  scale.textContent = `0 to ${format(end)}, ${time}`;
  svg.setAttribute('aria-label', `${label} of the last ${time}; the height is ${format(end)}`);
  series.forEach((one, i) => {
    const line = pathOf(one.values, end, shown);
    svg.children[1 + i * 2].setAttribute('d', line === '' ? '' : areaOf(one.values, line, shown));
    svg.children[2 + i * 2].setAttribute('d', line);
  });
}

// The next 1, 2 or 5 times a power of ten.
export function roundUp(value) {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map(step => step * power).find(step => step >= value);
}

function make(name, attributes) {
  const made = document.createElementNS(namespace, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}

// The newest value is at the right; what is not known yet is empty.
function xOf(values, i, shown) {
  return (width * (shown - values.length + i)) / (shown - 1);
}

function pathOf(values, top, shown) {
  let path = '';
  let isOpen = false;
  values.forEach((value, i) => {
    if (value === null) {
      isOpen = false;
      return;
    }
    const y = height - 1 - (height - 2) * (value / top);
    path += `${isOpen ? 'L' : 'M'}${xOf(values, i, shown).toFixed(1)} ${y.toFixed(1)}`;
    isOpen = true;
  });
  return path;
}

function areaOf(values, line, shown) {
  if (values.includes(null)) return '';
  return `${line}L${width} ${height}L${xOf(values, 0, shown).toFixed(1)} ${height}Z`;
}
