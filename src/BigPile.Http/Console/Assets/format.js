// Numbers, sizes and times for people: three significant digits in any unit.

const sizeUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
const whole = new Intl.NumberFormat('en-GB');

export function count(value) {
  return whole.format(Math.round(value));
}

// A number with its noun, which agrees with the rounded number: a rate of 0.999 is “1.0 reads”.
export function counted(value, one, many = `${one}s`, format = count) {
  const number = format(value);
  return `${number} ${number === '1' ? one : many}`;
}

export function digits(value) {
  if (value >= 100 || value === 0) return whole.format(Math.round(value));
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function short(value) {
  if (value < 10000) return value < 100 && value % 1 !== 0 ? value.toFixed(1) : count(value);
  if (value < 1e6) return `${digits(value / 1e3)} k`;
  return value < 1e9 ? `${digits(value / 1e6)} M` : `${digits(value / 1e9)} G`;
}

export function bytes(value) {
  let unit = 0;
  while (value >= 1024 && unit < sizeUnits.length - 1) {
    value /= 1024;
    unit++;
  }
  return unit === 0 ? `${count(value)} B` : `${digits(value)} ${sizeUnits[unit]}`;
}

export function exactBytes(value) {
  return counted(value, 'byte');
}

export function micros(value) {
  if (value < 1000) return `${digits(value)} µs`;
  return value < 1e6 ? `${digits(value / 1000)} ms` : `${digits(value / 1e6)} s`;
}

export function percent(share) {
  if (share > 0 && share < 0.0005) return '< 0.1 %';
  if (share < 1 && share > 0.9995) return '> 99.9 %';
  return `${(share * 100).toFixed(1)} %`;
}

export function rate(value) {
  return `${short(value)}/s`;
}

const times = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' });

export function clock(instant) {
  return times.format(new Date(instant));
}

export function duration(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor(seconds / 3600) % 24} h`;
}
