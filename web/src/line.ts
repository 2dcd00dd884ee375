// The line chart, drawn by uPlot. It is read only when there is one to draw.
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Cell, Column } from './api'
import { clockDay } from './text'
import { inWords } from './value'

interface Axes {
  x: number
  label: number
  ys: number[]
}

// labelled is how many points may all have their values written; of more, the first, the last, the highest and the lowest have.
const labelled = 12

interface Points {
  time: boolean
  names: string[]
  data: uPlot.AlignedData
  texts: string[][] // of each series, the exact values
}

// points puts the rows in the order of x.
function points(columns: Column[], rows: Cell[][], a: Axes): Points {
  const type = columns[a.x].type
  const time = type === 'date' || type === 'timestamp'
  const number = type === 'int' || type === 'decimal'
  const place = (v: Cell, i: number) => (time ? Date.parse(String(v)) / 1000 : number ? Number(v) : i)
  const all = rows.map((r, i) => ({ r, x: r[a.x] === null && (time || number) ? NaN : place(r[a.x], i) })).filter((p) => !Number.isNaN(p.x))
  if (time || number) all.sort((p, q) => p.x - q.x)
  const value = (v: Cell) => (v === null ? null : Number(v))
  return {
    time,
    names: all.map((p) => inWords(p.r[a.label], columns[a.label].type)),
    data: [all.map((p) => p.x), ...a.ys.map((y) => all.map((p) => value(p.r[y])))] as uPlot.AlignedData,
    texts: a.ys.map((y) => all.map((p) => inWords(p.r[y], columns[y].type))),
  }
}

export function draw(box: HTMLElement, columns: Column[], rows: Cell[][], a: Axes): () => void {
  const p = points(columns, rows, a)
  let plot: uPlot | null = null
  const make = () => {
    plot?.destroy()
    plot = new uPlot(options(box, columns, p, a), p.data, box)
  }
  make()
  const sizes = new ResizeObserver(() => plot?.setSize({ width: box.clientWidth, height: 240 }))
  sizes.observe(box)
  const dark = matchMedia('(prefers-color-scheme: dark)')
  dark.addEventListener('change', make)
  return () => {
    dark.removeEventListener('change', make)
    sizes.disconnect()
    plot?.destroy()
  }
}

function options(box: HTMLElement, columns: Column[], p: Points, a: Axes): uPlot.Options {
  const css = getComputedStyle(box)
  const color = (name: string) => css.getPropertyValue(name).trim()
  const font = `12px ${css.fontFamily}`
  const axis = { stroke: color('--faint'), font, grid: { stroke: color('--line'), width: 1 }, ticks: { show: false } }
  const named = !p.time && !/^(int|decimal)$/.test(columns[a.x].type)
  return {
    width: box.clientWidth, height: 240,
    legend: { show: false },
    tzDate: (s) => uPlot.tzDate(new Date(s * 1000), 'Etc/UTC'),
    cursor: { show: false },
    padding: [22, 34, 0, 6],
    scales: { x: { time: p.time }, y: { range: (_, min, max) => [Math.min(0, min), max === min ? max + 1 : Math.max(0, max)] } },
    axes: [
      { ...axis, size: 32, grid: { show: false }, splits: p.time && p.names.length <= labelled ? () => [...new Set(p.data[0])].filter((_, i) => i % Math.ceil((p.names.length * 70) / box.clientWidth) === 0) : undefined, values: p.time ? (_, at) => at.map((s) => clockDay(s, at, columns[a.x].type === 'date')) : named ? (_, at) => at.map((i) => p.names[i] ?? '') : undefined, ...(named ? { splits: () => ticks(p.names.length) } : {}) },
      { ...axis, size: 64, values: (_, at) => at.map((n) => n.toLocaleString('en-GB')) },
    ],
    series: [{}, ...a.ys.map((y, i) => ({ label: columns[y].label || columns[y].name, stroke: color(`--s${i % 12}`), width: 2, points: { show: p.names.length <= 60, size: 5, fill: color(`--s${i % 12}`) } }))],
    hooks: { draw: [(u) => label(u, p, color('--text'), font)] },
  }
}

const ticks = (n: number) => Array.from({ length: n }, (_, i) => i).filter((i) => i % Math.ceil(n / 8) === 0)

// label writes values beside their points, so that nobody has to point at them.
function label(u: uPlot, p: Points, color: string, font: string) {
  const ratio = uPlot.pxRatio
  u.ctx.save()
  u.ctx.fillStyle = color
  u.ctx.font = font.replace(/^\d+/, (n) => String(Number(n) * ratio))
  p.texts.forEach((texts, s) => {
    const values = u.data[s + 1] as (number | null)[]
    for (const i of worth(values, Math.min(labelled, u.width / 80))) {
      u.ctx.textAlign = i === 0 ? 'left' : 'center'
      u.ctx.fillText(texts[i], u.valToPos(u.data[0][i], 'x', true), u.valToPos(values[i]!, 'y', true) - 8 * ratio)
    }
  })
  u.ctx.restore()
}

// worth are the points that have their values written.
function worth(values: (number | null)[], most: number): number[] {
  const there = values.flatMap((v, i) => (v === null ? [] : [i]))
  if (there.length <= most) return there
  const by = (better: (a: number, b: number) => boolean) => there.reduce((m, i) => (better(values[i]!, values[m]!) ? i : m), there[0])
  return [...new Set([there[0], there.at(-1)!, by((x, y) => x > y), by((x, y) => x < y)])]
}
