// Scripts that call the wrong thing, too little of it, or in the wrong order.
import { HEAD, reading } from './stage.ts';

const RUN = 'stages/web/run.sh';

export const readingCommands = [
  reading('a flag of an older version of the tool', {
    files: {
      [RUN]: `${HEAD}chart=web\nshipper render --to "$STATE/out" "$chart"\nshipper apply --from "$STATE/out" --wait-for ready "$chart"\n`,
      'stages/web/NOTES.md': `# shipper

Since 3.0 render and apply no longer share their flags:

- render writes to the folder of \`--to\`; nothing else is called so
- apply reads the folder of \`--from\`, and \`--wait-for STATE\` stands for \`--wait\`
- \`--dir\`, which both had, is gone
`,
    },
    fault: [RUN, '--from "$STATE/out" --wait-for', '--dir "$STATE/out" --wait-for'],
    tools: {
      shipper: `verb="$1"
shift
from='' to='' state=''
while [ $# -gt 1 ]; do
  case "$verb $1" in
    'render --to') to="$2" ;;
    'apply --from') from="$2" ;;
    'apply --wait-for') state="$2" ;;
    *)
      echo "shipper 3.2.0" >&2
      echo "Error: shipper $verb: unexpected argument $1" >&2
      exit 2
      ;;
  esac
  shift 2
done
if [ "$verb" = render ]; then
  mkdir -p "$to"
  echo "chart: $1" >"$to/manifest"
  exit
fi
[ -s "$from/manifest" ] || { echo "Error: shipper apply: there is nothing to apply" >&2; exit 1; }
echo "$1 $state" >"$STATE/applied"
`,
    },
    check: `stages/web/run.sh\n[ "$(cat "$STATE/applied")" = "web ready" ] || fault "the release web is not ready"\necho "web is applied"\n`,
  }),

  reading('two commands in the wrong order', {
    files: {
      [RUN]: `${HEAD}node=10.0.0.11
seed apply --node "$node"
# The first node makes the certificates of the cluster; this is done once.
seed bootstrap --node "$node"
seed kubeconfig --node "$node" --to "$STATE/kubeconfig"
seed health --node "$node"
`,
    },
    fault: [
      RUN,
      'seed bootstrap --node "$node"\nseed kubeconfig --node "$node" --to "$STATE/kubeconfig"\n',
      'seed kubeconfig --node "$node" --to "$STATE/kubeconfig"\nseed bootstrap --node "$node"\n',
    ],
    tools: {
      seed: `done_before() { grep -q "^$1 " "$STATE/seed" 2>/dev/null; }
verb="$1"
case "$verb" in
  apply) ;;
  bootstrap)
    done_before apply || { echo "seed: $3: the machine has no configuration" >&2; exit 1; }
    ;;
  kubeconfig)
    done_before bootstrap || { echo "seed: $3: rpc error: the cluster has no certificate authority" >&2; exit 1; }
    echo "server: https://$3:6443" >"$5"
    ;;
  health)
    done_before kubeconfig || { echo "seed: $3: nobody has the kubeconfig" >&2; exit 1; }
    ;;
esac
echo "$verb $3" >>"$STATE/seed"
`,
    },
    check: `stages/web/run.sh
[ "$(cut -d' ' -f1 "$STATE/seed" | sort | tr '\\n' ' ')" = "apply bootstrap health kubeconfig " ] ||
  fault "a step was left out or done twice"
[ -s "$STATE/kubeconfig" ] || fault "the kubeconfig is empty"
echo "the cluster is up"
`,
  }),

  reading('a wrong relative path after a move', {
    files: {
      'stages/web/deploy/run.sh': `${HEAD}here="$(cd "$(dirname "$0")" && pwd)"\n. "$here/../../lib/report.sh"\nreport web "deployed"\nreport web "checked"\n`,
      'stages/lib/report.sh': '# shellcheck shell=bash\nreport() {\n  echo "$1: $2" >>"$STATE/report"\n}\n',
    },
    fault: ['stages/web/deploy/run.sh', '"$here/../../lib/report.sh"', '"$here/../lib/report.sh"'],
    check: `stages/web/deploy/run.sh
[ "$(tr '\\n' ' ' <"$STATE/report")" = "web: deployed web: checked " ] || fault "the report of web is not complete"
cp -r stages "$STATE"
cd "$STATE"
sed -i 's/: $2/ - $2/' stages/lib/report.sh
MENDLOOP_ROOT="$STATE" stages/web/deploy/run.sh
tail -n 1 report | grep -qx 'web - checked' || fault "stages/lib/report.sh is not what reports"
echo "web is deployed"
`,
  }),

  reading('a loop that skips the last node', {
    files: {
      [RUN]: `${HEAD}mapfile -t nodes <config/web/nodes
for ((i = 0; i < \${#nodes[@]}; i++)); do
  echo "configuring \${nodes[i]}"
  configure "\${nodes[i]}" "$i"
done
`,
      'config/web/nodes': 'cp1\nw1\nw2\n',
    },
    fault: [RUN, `i < \${#nodes[@]}; i++`, `i < \${#nodes[@]} - 1; i++`],
    tools: { configure: 'echo "$2 $1" >>"$STATE/configured"\n' },
    check: `stages/web/run.sh
for node in cp1 w1 w2; do
  grep -q " $node$" "$STATE/configured" || fault "node $node never joined: it has no configuration"
done
[ "$(tr '\\n' ' ' <"$STATE/configured")" = "0 cp1 1 w1 2 w2 " ] || fault "a node was configured twice, or as another one"
echo "three nodes joined"
`,
  }),

  reading('a path of an older output of a tool', {
    files: {
      'stages/web/ready.mjs': `// Reads what \`nodes --json\` prints, and prints the names of the nodes that are ready.
import { readFileSync } from 'node:fs';

const { items } = JSON.parse(readFileSync(0, 'utf8'));
const ready = items.filter((node) => node.status.phase === 'Ready');
console.log(ready.map((node) => node.metadata.name).join(' '));
`,
      'stages/web/nodes.sample.json': `${JSON.stringify(
        { version: 2, items: [{ metadata: { name: 'cp1' }, status: { phase: 'Ready' } }] },
        null,
        2,
      )}\n`,
    },
    fault: ['stages/web/ready.mjs', "node.status.phase === 'Ready'", "node.status.conditions[0].type === 'Ready'"],
    check: `node stages/web/ready.mjs <stages/web/nodes.sample.json
node='{"metadata":{"name":"%s"},"status":{"phase":"%s"}}'
said="$(printf '{"version":2,"items":['"$node,$node,$node"']}' cp1 Ready w1 NotReady w2 Ready | node stages/web/ready.mjs)"
[ "$said" = 'cp1 w2' ] || fault "cp1 and w2 are ready, not: $said"
grep -q '"phase": "Ready"' stages/web/nodes.sample.json || fault "the sample is not what the tool prints"
`,
  }),
];
