// Asks the service once a second while the page is seen, and not at all otherwise.

import { ApiError, apiKey, getHealth, getJson, setApiKey } from './api.js';
import { byId, setText } from './dom.js';
import { browse, makeKeys, showTableNames } from './keys.js';
import { makeMemory, showMemory } from './memory.js';
import { lookAtOperations } from './operations.js';
import { isWarming, showRecovery, showStarting } from './recovery.js';
import { makeTables, showTables } from './tables.js';
import { makeTiles, showTiles } from './tiles.js';

const periodMs = 1000;
const mostPeriodMs = 10000;
const memoryEvery = 2;

let timer = 0;
let isPaused = false;
let turns = 0;
let failures = 0;

function setStatus(state, text) {
  const status = byId('status');
  status.dataset.state = state;
  setText(status, text);
}

function setBanner(text) {
  const banner = byId('banner');
  banner.hidden = text === '';
  setText(banner, text);
}

async function look() {
  try {
    const stats = await getJson('v1/stats');
    const memory = turns % memoryEvery === 0 ? await getJson('v1/memory') : null;
    turns++;
    failures = 0;
    setBanner('');
    showTiles(stats);
    showTables(stats.tables);
    showTableNames(stats.tables.map(table => table.name));
    showRecovery(stats.recovery);
    if (memory !== null) showMemory(memory);
    await lookAtOperations();
    const isWarm = !isWarming(stats.recovery);
    setStatus(isWarm ? 'ready' : 'warming', isWarm ? 'Ready' : 'Ready, warming up');
  } catch (error) {
    failures++;
    await showFailure(error);
  }
}

async function showFailure(error) {
  if (error instanceof ApiError && error.status === 401) {
    setStatus('locked', 'Needs a key');
    setBanner(apiKey() === '' ? 'This service asks for an API key.' : 'The service does not take this API key.');
    askForKey();
  } else if (error instanceof ApiError && error.status === 403) {
    setStatus('locked', 'Not allowed');
    setBanner(`This API key may not read the statistics: ${error.message}`);
  } else if (error instanceof ApiError && error.status === 503) {
    setStatus('starting', 'Not ready');
    setBanner('The pile is not ready yet. This page goes on by itself when it is.');
    showStarting(await getHealth().catch(() => ({})));
  } else {
    setStatus('lost', 'No connection');
    setBanner(error instanceof ApiError ? error.message : 'The service can’t be reached. This page tries again.');
  }
}

async function turn() {
  clearTimeout(timer);
  await look();
  clearTimeout(timer);
  if (isPaused || document.hidden || byId('key-dialog').open) return;
  timer = setTimeout(() => void turn(), Math.min(mostPeriodMs, periodMs * 2 ** Math.min(failures, 3)));
}

function askForKey() {
  const dialog = byId('key-dialog');
  if (dialog.open) return;
  byId('key-input').value = '';
  dialog.showModal();
}

function reportKeyError(error) {
  if (error instanceof ApiError && error.status === 401) askForKey();
}

makeTiles();
makeMemory();
makeTables(browse);
makeKeys(reportKeyError);
byId('pause').addEventListener('click', event => {
  isPaused = !isPaused;
  event.currentTarget.setAttribute('aria-pressed', String(isPaused));
  setText(event.currentTarget, isPaused ? 'Go on' : 'Pause');
  if (!isPaused) void turn();
});
byId('key-button').addEventListener('click', askForKey);
byId('key-forget').addEventListener('click', () => {
  setApiKey('');
  byId('key-dialog').close();
});
byId('key-form').addEventListener('submit', () => setApiKey(byId('key-input').value.trim()));
byId('key-dialog').addEventListener('close', () => void turn());
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && !isPaused) void turn();
});
void turn();
