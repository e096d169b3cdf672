// The figures of this moment.

import { byId, element, setText } from './dom.js';
import { bytes, count, digits, duration, exactBytes, micros, percent, short } from './format.js';
import { Series, draw, sparkline } from './chart.js';

const reads = new Series();
const writes = new Series();
const latency = new Series();
const hits = new Series();
const tiles = new Map();

function tile(id, title, kinds) {
  const value = element('p', { class: 'value', id: `tile-${id}` });
  const note = element('p', { class: 'note' }, ...(kinds.length === 2 ? kinds.map(kind => element('span', { class: `kind ${kind}` })) : []));
  const box = element('article', { class: 'tile' }, element('h2', {}, title), value, note);
  const spark = kinds.length === 0 ? null : sparkline(`${title}, the last two minutes`, kinds);
  if (spark !== null) box.append(spark);
  byId('tiles').append(box);
  tiles.set(id, { value, note, spark });
}

export function makeTiles() {
  tile('operations', 'Operations a second', ['reads', 'writes']);
  tile('latency', 'Read latency, p99', ['latency']);
  tile('hits', 'Hit ratio', ['hits']);
  tile('entries', 'Entries', []);
  tile('memory', 'Memory in use', []);
  tile('process', 'Process', []);
}

function show(id, value, note, title = '') {
  const { value: valueNode, note: noteNode } = tiles.get(id);
  setText(valueNode, value);
  if (Array.isArray(note)) note.forEach((text, i) => setText(noteNode.children[i], text));
  else setText(noteNode, note);
  valueNode.title = title;
}

export function showTiles(stats) {
  const rates = stats.tables.map(table => table.perSecond).filter(rate => rate !== undefined);
  const sum = pick => rates.reduce((total, rate) => total + pick(rate), 0);
  showActivity(stats, sum);
  const entries = stats.tables.reduce((total, table) => total + table.entries, 0);
  show('entries', short(entries), `${count(stats.tables.length)} ${stats.tables.length === 1 ? 'table' : 'tables'}, ${short(stats.pile.objects)} objects in the pile`, count(entries));
  const memory = stats.pile.memoryBytes;
  const limit = memory.limit === undefined ? 'no limit' : `limit ${bytes(memory.limit)}`;
  show('memory', bytes(memory.committed), `of ${bytes(memory.reserved)} reserved, ${limit}`, exactBytes(memory.committed));
  const process = stats.process;
  show('process', bytes(process.managedBytes), `managed heap; ${bytes(process.workingSetBytes)} resident; ${digits(process.collectionPauseSeconds * 1000)} ms in collections`);
  setText(byId('facts'), `${stats.pile.store}${stats.pile.directory === undefined ? '' : ` ${stats.pile.directory}`} · up ${duration(process.uptimeSeconds)} · process ${process.id}`);
}

function showActivity(stats, sum) {
  if (stats.activity === undefined) {
    show('operations', '–', ['', '']);
    show('latency', '–', '');
    show('hits', '–', '');
    return;
  }
  const readRate = sum(rate => rate.hits + rate.misses);
  const writeRate = sum(rate => rate.puts + rate.removals);
  reads.add(readRate);
  writes.add(writeRate);
  show('operations', short(readRate + writeRate), [`${short(readRate)} reads`, `${short(writeRate)} writes`]);
  const timed = stats.activity.reads;
  latency.add(timed?.p99Us ?? null);
  const written = stats.activity.writes === undefined ? '' : `; writes p99 ${micros(stats.activity.writes.p99Us)}`;
  show('latency', timed === undefined ? '–' : micros(timed.p99Us), timed === undefined ? `no reads${written}` : `p50 ${micros(timed.p50Us)}, max ${micros(timed.maxUs)}${written}`);
  const ratio = readRate === 0 ? null : sum(rate => rate.hits) / readRate;
  hits.add(ratio);
  const all = stats.tables.reduce((total, table) => total + table.hits + table.misses, 0);
  const found = stats.tables.reduce((total, table) => total + table.hits, 0);
  show('hits', ratio === null ? '–' : percent(ratio), all === 0 ? 'no reads since the start' : `${percent(found / all)} since the start, ${short(all)} reads`);
  draw(tiles.get('operations').spark, [reads, writes]);
  draw(tiles.get('latency').spark, [latency]);
  draw(tiles.get('hits').spark, [hits]);
}
