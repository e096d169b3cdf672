// Untrusted text, verbatim: characters that are invisible, or change direction or break the line, are shown by name.

import { element } from './dom.js';

const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cn}\p{Co}\p{Cs}]|(?! )\p{Zs}/u;
const names = { '\n': 'LF', '\r': 'CR', '\t': 'TAB', ' ': 'SPACE', '\u200e': 'LRM', '\u200f': 'RLM', '\u202d': 'LRO', '\u202e': 'RLO', '\u202c': 'PDF', '\u2066': 'LRI', '\u2067': 'RLI', '\u2069': 'PDI' };

const most = 72;
const headMost = 44;
const tailMost = 24;

// Returns nodes: runs of text, each with isolated direction, and marks.
export function visible(text) {
  const letters = [...text];
  return nodesOf(letters, 0, letters.length);
}

// Shortens a text to its start and its end.
export function shortened(text) {
  const letters = [...text];
  if (letters.length <= most) return nodesOf(letters, 0, letters.length);
  return [...nodesOf(letters, 0, headMost), element('span', { class: 'cut' }, '…'), ...nodesOf(letters, letters.length - tailMost, letters.length)];
}

function nodesOf(letters, from, to) {
  const nodes = [];
  let run = '';
  const endRun = () => {
    if (run !== '') nodes.push(element('bdi', {}, run));
    run = '';
  };
  for (let i = from; i < to; i++) {
    const isEdge = letters[i] === ' ' && (i === 0 || i === letters.length - 1);
    if (!isEdge && !unseen.test(letters[i])) {
      run += letters[i];
      continue;
    }
    endRun();
    nodes.push(mark(letters[i]));
  }
  endRun();
  return nodes;
}

function mark(letter) {
  const code = `U+${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  return element('span', { class: 'mark', title: code }, names[letter] ?? code);
}
