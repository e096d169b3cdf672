// The current figures.

import { byId, element, setText } from './dom.js';
import { bytes, count, counted, digits, duration, exactBytes, micros, percent, rate, short } from './format.js';
import { Series, draw, sparkline } from './chart.js';

const reads = new Series();
const writes = new Series();
const latency = new Series();
const hits = new Series();
const tiles = new Map();
const ofTables = ['activity', 'hits', 'entries'];

function tile(id, title, kinds, format, top) {
  const value = element('p', { class: 'value', id: `tile-${id}` });
  const note = element('p', { class: 'note' }, ...(kinds.length === 2 ? kinds.map(kind => element('span', { class: `kind ${kind}` })) : []));
  const box = element('article', { class: 'tile' }, element('h2', {}, title), value, note);
  const chart = kinds.length === 0 ? null : sparkline(title, kinds, format, top);
  if (chart !== null) box.append(chart.box);
  byId('tiles').append(box);
  tiles.set(id, { box, value, note, chart });
}

export function makeTiles() {
  byId('tiles').hidden = true;
  tile('activity', 'Reads and writes/s', ['reads', 'writes'], rate);
  tile('latency', 'Read latency, p99', ['latency'], micros);
  tile('hits', 'Hit ratio', ['hits'], share => `${share * 100} %`, 1);
  tile('entries', 'Entries', []);
  tile('memory', 'Pile memory in use', []);
  tile('process', 'Resident memory', []);
}

function show(id, value, note, title = '') {
  const { value: valueNode, note: noteNode } = tiles.get(id);
  setText(valueNode, value);
  if (Array.isArray(note)) note.forEach((text, i) => setText(noteNode.children[i], text));
  else setText(noteNode, note);
  valueNode.title = title;
}

export function hideTiles() {
  byId('tiles').hidden = true;
}

export function showTiles(stats) {
  showTableTiles(stats.tables);
  for (const { box } of tiles.values()) box.hidden = false;
  showLatency(stats.activity);
  const known = stats.pile.objects === undefined ? 'examined so far' : 'in the pile';
  setText(tiles.get('entries').note, `${namesOf(stats.tables)}, ${counted(stats.pile.objectsSoFar, 'object', 'objects', short)} ${known}`);
  const memory = stats.pile.memoryBytes;
  const limit = memory.limit === undefined ? 'no limit' : `limit ${bytes(memory.limit)}`;
  show('memory', bytes(memory.committed), `of ${bytes(memory.reserved)} reserved, ${limit}`, exactBytes(memory.committed));
  const process = stats.process;
  show('process', bytes(process.workingSetBytes), `of the process, mapped files included; managed heap ${bytes(process.managedBytes)}, ${digits(process.collectionPauseSeconds * 1000)} ms in collections`, exactBytes(process.workingSetBytes));
  setText(byId('facts'), `${stats.pile.store}${stats.pile.directory === undefined ? '' : ` ${stats.pile.directory}`} · up ${duration(process.uptimeSeconds)} · process ${process.id}`);
}

// Figures of the tables alone: all that a key for some tables may read.
export function showTableTiles(tables) {
  byId('tiles').hidden = false;
  for (const [id, { box }] of tiles) box.hidden = !ofTables.includes(id);
  setText(byId('facts'), '');
  const entries = tables.reduce((total, table) => total + table.entries, 0);
  show('entries', short(entries), namesOf(tables), count(entries));
  showActivity(tables);
}

function namesOf(tables) {
  return counted(tables.length, 'table');
}

function showActivity(tables) {
  const rates = tables.map(table => table.perSecond).filter(found => found !== undefined);
  if (rates.length === 0 && tables.length > 0) {
    show('activity', '–', ['', '']);
    show('hits', '–', '');
    return;
  }
  const sum = pick => rates.reduce((total, found) => total + pick(found), 0);
  const readRate = sum(found => found.hits + found.misses);
  const writeRate = sum(found => found.puts + found.removals);
  reads.add(readRate);
  writes.add(writeRate);
  show('activity', short(readRate + writeRate), [counted(readRate, 'read', 'reads', short), counted(writeRate, 'write', 'writes', short)]);
  const ratio = readRate === 0 ? null : sum(found => found.hits) / readRate;
  hits.add(ratio);
  const all = tables.reduce((total, table) => total + table.hits + table.misses, 0);
  const found = tables.reduce((total, table) => total + table.hits, 0);
  show('hits', ratio === null ? '–' : percent(ratio), all === 0 ? 'no reads since the start' : `${percent(found / all)} since the start, ${counted(all, 'read', 'reads', short)}`);
  draw(tiles.get('activity').chart, [reads, writes]);
  draw(tiles.get('hits').chart, [hits]);
}

function showLatency(activity) {
  if (activity === undefined) {
    show('latency', '–', '');
    return;
  }
  const timed = activity.reads;
  latency.add(timed?.p99Us ?? null);
  const written = activity.writes === undefined ? '' : `; writes p99 ${micros(activity.writes.p99Us)}`;
  show('latency', timed === undefined ? '–' : micros(timed.p99Us), timed === undefined ? `no reads${written}` : `p50 ${micros(timed.p50Us)}, max ${micros(timed.maxUs)}${written}`);
  draw(tiles.get('latency').chart, [latency]);
}
