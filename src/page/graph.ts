// The graph of needs as SVG: stages in layers, each behind its needs; what leads past a layer has a lane of its own there, so that no
// arrow crosses a box. Hidden from screen readers: the page lists the stages with their needs, too.
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

/** A box, or the lane of an arrow in a layer that it leads past. */
interface Placed {
  readonly node?: GraphNode;
  /** The arrow whose lane it is. */
  readonly lane?: string;
  readonly layer: number;
  /** Its place in the layer, from 0. */
  readonly row: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const HEIGHT = 46;
const GAP = 18;
const LANE = 10;
/** A box is as wide as there is room for, within these. */
const BOX = { least: 128, most: 220 };
/** The gap between layers, for the arrow; smaller from top to bottom, on phones. */
const REACH = { wide: 40, tall: 24 };
/** What fits beside each other where there is room, and on a phone. */
const ROOM = { wide: 1010, tall: 330 };
const LETTER_WIDTH = 7.6;

/** The graph from left to right where the screen is wide, and from top to bottom where it is not, or the way is long. */
export function graphHtml(nodes: readonly GraphNode[]): Html {
  if (nodes.length === 0) return html``;
  const placed = layered(nodes);
  const layers = Math.max(...placed.map(({ layer }) => layer)) + 1;
  const isWide = layers * (BOX.least + REACH.wide) - REACH.wide <= ROOM.wide;
  return html`<div class="scroll">${isWide && drawn(placed, layers, true, 'wide')}${drawn(placed, layers, false, isWide ? 'tall' : 'any')}</div>`;
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
  const layerOf = (name: string) => layers.get(name) ?? 0;
  const lanes = nodes.flatMap((node) =>
    directNeeds(node, nodes).flatMap((need) =>
      between(layerOf(need), layerOf(node.name)).map((layer) => ({ layer, lane: laneName(need, node.name), need })),
    ),
  );
  const placed: Placed[] = [];
  for (let layer = 0; layer <= Math.max(...layers.values()); layer++) {
    const rowOf = (name: string) => placed.find((one) => one.node?.name === name)?.row ?? 0;
    const boxes = nodes.filter(({ name }) => layerOf(name) === layer);
    const middle = (needs: readonly string[]) =>
      needs.reduce((sum, need) => sum + rowOf(need), 0) / (needs.length || 1);
    const here = [
      ...boxes.map((node) => ({ item: { node }, at: middle(node.needs) })),
      ...lanes
        .filter((one) => one.layer === layer)
        .map(({ lane, need }) => ({ item: { lane }, at: rowOf(need) + 0.5 })),
    ].sort((a, b) => a.at - b.at);
    placed.push(...here.map(({ item }, row) => ({ ...item, layer, row })));
  }
  return placed;
}

const between = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from - 1) }, (_, i) => from + 1 + i);
const laneName = (need: string, name: string): string => `${need} → ${name}`;

/** The needs without those that another need implies. */
function directNeeds({ needs, name }: GraphNode, nodes: readonly GraphNode[]): string[] {
  const at = new Map(nodes.map((node) => [node.name, node]));
  const implied = new Set<string>();
  const walk = (from: readonly string[]) => {
    for (const need of from) {
      if (implied.has(need) || need === name) continue;
      implied.add(need);
      walk(at.get(need)?.needs ?? []);
    }
  };
  for (const need of needs) walk(at.get(need)?.needs ?? []);
  return needs.filter((need) => at.has(need) && !implied.has(need));
}

function drawn(placed: readonly Placed[], layers: number, isWide: boolean, look: string): Html {
  const reach = isWide ? REACH.wide : REACH.tall;
  const rows = Math.max(...placed.map(({ row }) => row)) + 1;
  const share = isWide ? (ROOM.wide + reach) / layers - reach : (ROOM.tall + GAP) / rows - GAP;
  const width = Math.round(Math.min(BOX.most, Math.max(BOX.least, share)));
  const along = (isWide ? width : HEIGHT) + reach;
  const across = ({ lane }: Placed) => (lane === undefined ? (isWide ? HEIGHT : width) : LANE);
  const span = (row: readonly Placed[]) => row.reduce((sum, one) => sum + across(one) + GAP, -GAP);
  const inLayer = (layer: number) => placed.filter((one) => one.layer === layer);
  const breadth = Math.max(...placed.map(({ layer }) => span(inLayer(layer))));
  const length = layers * along - reach;
  const place = (one: Placed): Point => {
    const row = inLayer(one.layer);
    const side = (breadth - span(row)) / 2 + row.slice(0, one.row).reduce((sum, each) => sum + across(each) + GAP, 0);
    return isWide ? { x: one.layer * along, y: side } : { x: side, y: one.layer * along };
  };
  const centre = (one: Placed): number => {
    const { x, y } = place(one);
    return (isWide ? y : x) + across(one) / 2;
  };
  const start = ({ layer }: Placed) => layer * along;
  const end = (one: Placed) => start(one) + (isWide ? width : HEIGHT);
  const nodes = placed.flatMap(({ node }) => node ?? []);
  const boxOf = (name: string) => placed.find((one) => one.node?.name === name) as Placed;
  const edges = nodes.flatMap((node) =>
    directNeeds(node, nodes).map((need) => {
      const lanes = placed.filter(({ lane }) => lane === laneName(need, node.name));
      const [from, to] = [boxOf(need), boxOf(node.name)];
      const stops = lanes.flatMap((lane) => [
        [start(lane), centre(lane)],
        [end(lane), centre(lane)],
      ]) as [number, number][];
      return edge([[end(from), centre(from)], ...stops, [start(to) - 6, centre(to)]], isWide);
    }),
  );
  const [w, h] = isWide ? [length, breadth] : [breadth, length];
  return html`<svg class="graph ${look}" width="${w + 4}" height="${h + 4}" viewBox="-2 -2 ${w + 4} ${h + 4}" aria-hidden="true" focusable="false">
${edges}${placed.map((one) => one.node && box(one.node, place(one), width))}</svg>`;
}

/** Through points by how far along and how far across they are. */
function edge(stops: readonly (readonly [along: number, across: number])[], isWide: boolean): Html {
  const point = (along: number, across: number) => {
    const [x, y] = isWide ? [along, across] : [across, along];
    return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
  };
  const [[from, side] = [0, 0], ...rest] = stops;
  let [at, before] = [from, side];
  const curves = rest.map(([to, across]) => {
    const middle = (at + to) / 2;
    const curve = `C${point(middle, before)} ${point(middle, across)} ${point(to, across)}`;
    [at, before] = [to, across];
    return curve;
  });
  const head = isWide ? 'l-8 -4v8z' : 'l-4 -8h8z';
  return html`<path class="edge" d="M${point(from, side)}${curves.join('')}"/><path class="arrow" d="M${point(at + 6, before)}${head}"/>`;
}

function box({ name, state, word, href }: GraphNode, { x, y }: Point, width: number): Html {
  const { sign, look } = stateOf('stage', state);
  const letters = Math.floor((width - 24) / LETTER_WIDTH);
  return html`<a href="${href}" tabindex="-1"><g class="node ${look}"><title>${name}</title><rect x="${x}" y="${y}" width="${width}" height="${HEIGHT}" rx="8"/>
<text x="${x + 12}" y="${y + 20}">${cutText(name, letters)}</text><text class="word" x="${x + 12}" y="${y + 38}">${sign} ${cutText(word, letters)}</text></g></a>
`;
}
