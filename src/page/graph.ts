// The graph of needs as SVG: stages in layers, each behind its needs. Hidden from screen readers: the page lists the stages with
// their needs, too.
import { cutText } from '../io/fit-text.ts';
import { type Html, html } from './html.ts';
import { stateOf } from './states.ts';

interface GraphNode {
  readonly name: string;
  readonly needs: readonly string[];
  readonly state: string;
  /** Shown below its name. */
  readonly word: string;
  readonly href: string;
}

interface Placed extends GraphNode {
  readonly layer: number;
  /** Its place in the layer, from 0. */
  readonly row: number;
}

const WIDTH = 138;
const HEIGHT = 46;
const GAP = 18;
/** The gap between layers, for the arrow; smaller from top to bottom, on phones. */
const REACH = { wide: 36, tall: 22 };
const MAX_LETTERS = 17;
/** What fits beside each other where there is room. */
const MAX_WIDE = 1010;

/** The graph from left to right where the screen is wide, and from top to bottom where it is not, or the way is long. */
export function graphHtml(nodes: readonly GraphNode[]): Html {
  if (nodes.length === 0) return html``;
  const placed = layered(nodes);
  const layers = Math.max(...placed.map(({ layer }) => layer)) + 1;
  const isWide = layers * (WIDTH + REACH.wide) - REACH.wide <= MAX_WIDE;
  const tall = drawn(placed, layers, false, isWide ? 'tall' : 'any');
  return html`<div class="scroll">${isWide && drawn(placed, layers, true, 'wide')}${tall}</div>`;
}

/** Puts each node one layer behind its last need, and near its needs. Unknown needs and cycles do not count. */
export function layered(nodes: readonly GraphNode[]): Placed[] {
  const layers = new Map<string, number>();
  const names = new Set(nodes.map(({ name }) => name));
  for (let left = [...nodes]; left.length > 0; ) {
    const isReady = ({ needs }: GraphNode) => needs.every((need) => layers.has(need) || !names.has(need));
    const ready = left.filter(isReady);
    for (const { name, needs } of ready.length > 0 ? ready : left)
      layers.set(name, Math.max(-1, ...needs.map((need) => layers.get(need) ?? -1)) + 1);
    left = left.filter(({ name }) => !layers.has(name));
  }
  const placed: Placed[] = [];
  for (let layer = 0; placed.length < nodes.length; layer++) {
    const rowOf = (need: string) => placed.find(({ name }) => name === need)?.row ?? 0;
    const middle = ({ needs }: GraphNode) => needs.reduce((sum, need) => sum + rowOf(need), 0) / (needs.length || 1);
    const here = nodes.filter(({ name }) => layers.get(name) === layer).sort((a, b) => middle(a) - middle(b));
    placed.push(...here.map((node, row) => ({ ...node, layer, row })));
  }
  return placed;
}

/** The needs without those that another need implies. */
function direct({ needs, name }: Placed, placed: readonly Placed[]): Placed[] {
  const at = new Map(placed.map((node) => [node.name, node]));
  const implied = new Set<string>();
  const walk = (from: readonly string[]) => {
    for (const need of from) {
      if (implied.has(need) || need === name) continue;
      implied.add(need);
      walk(at.get(need)?.needs ?? []);
    }
  };
  for (const need of needs) walk(at.get(need)?.needs ?? []);
  return needs.flatMap((need) => (implied.has(need) ? [] : (at.get(need) ?? [])));
}

function drawn(placed: readonly Placed[], layers: number, isWide: boolean, look: string): Html {
  const most = Math.max(...placed.map(({ row }) => row)) + 1;
  const across = (isWide ? HEIGHT : WIDTH) + GAP;
  const reach = isWide ? REACH.wide : REACH.tall;
  const along = (isWide ? WIDTH : HEIGHT) + reach;
  const breadth = most * across - GAP;
  const length = layers * along - reach;
  const place = ({ layer, row }: Placed) => {
    const inLayer = placed.filter((node) => node.layer === layer).length;
    const side = (breadth - (inLayer * across - GAP)) / 2 + row * across;
    return isWide ? { x: layer * along, y: side } : { x: side, y: layer * along };
  };
  const [width, height] = isWide ? [length, breadth] : [breadth, length];
  const edges = placed.flatMap((node) => direct(node, placed).map((need) => edge(place(need), place(node), isWide)));
  return html`<svg class="graph ${look}" width="${width + 4}" height="${height + 4}" viewBox="-2 -2 ${width + 4} ${height + 4}" aria-hidden="true" focusable="false">
${edges}${placed.map((node) => box(node, place(node)))}</svg>`;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function edge(from: Point, to: Point, isWide: boolean): Html {
  const half = (isWide ? REACH.wide : REACH.tall) / 2;
  if (isWide) {
    const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x - 6, to.y + HEIGHT / 2];
    return html`<path class="edge" d="M${x1} ${y1}C${x1 + half} ${y1} ${x2 - half} ${y2} ${x2} ${y2}"/><path class="arrow" d="M${x2 + 6} ${y2}l-8 -4v8z"/>`;
  }
  const [x1, y1, x2, y2] = [from.x + WIDTH / 2, from.y + HEIGHT, to.x + WIDTH / 2, to.y - 6];
  return html`<path class="edge" d="M${x1} ${y1}C${x1} ${y1 + half} ${x2} ${y2 - half} ${x2} ${y2}"/><path class="arrow" d="M${x2} ${y2 + 6}l-4 -8h8z"/>`;
}

function box({ name, state, word, href }: Placed, { x, y }: Point): Html {
  const { sign, look } = stateOf('stage', state);
  return html`<a href="${href}" tabindex="-1"><g class="node ${look}"><title>${name}</title><rect x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}" rx="8"/>
<text x="${x + 12}" y="${y + 20}">${cutText(name, MAX_LETTERS)}</text><text class="word" x="${x + 12}" y="${y + 38}">${sign} ${cutText(word, MAX_LETTERS)}</text></g></a>
`;
}
