// Shell scripts whose fault is in what they do and not in how they are spelt.
import { HEAD, reading } from './stage.ts';

const RUN = 'stages/web/run.sh';

export const readingScripts = [
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
sed -i 's/: \$2/ - $2/' stages/lib/report.sh
MENDLOOP_ROOT="$STATE" stages/web/deploy/run.sh
tail -n 1 report | grep -qx 'web - checked' || fault "stages/lib/report.sh is not what reports"
echo "web is deployed"
`,
  }),

  reading('a variable used before it is set', {
    files: {
      [RUN]: `${HEAD}settings=config/web/site.conf
scheme=https
site="$(sed -n 's/^site=//p' "$settings")"
base="$scheme://$site"
probe="$base/healthz"
echo "$base" >"$STATE/base"
echo "$probe" >"$STATE/probe"
`,
      'config/web/site.conf': 'title=Home\nsite=home.arpa\n',
    },
    fault: [
      RUN,
      `site="$(sed -n 's/^site=//p' "$settings")"\nbase="$scheme://$site"\nprobe="$base/healthz"\n`,
      `base="$scheme://$site"\nprobe="$base/healthz"\nsite="$(sed -n 's/^site=//p' "$settings")"\n`,
    ],
    check: `stages/web/run.sh
[ "$(cat "$STATE/base") $(cat "$STATE/probe")" = "https://home.arpa https://home.arpa/healthz" ] ||
  fault "the probe of home.arpa goes to $(cat "$STATE/probe")"
echo "the probe is right"
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

  reading('a here-document that expands nothing', {
    files: {
      [RUN]: `${HEAD}. config/web/site.env
cat >"$STATE/site.conf" <<EOF
server {
  server_name $SITE;
  listen $LISTEN;
}
EOF
proxy check "$STATE/site.conf"
`,
      'config/web/site.env': '# shellcheck shell=bash disable=SC2034\nSITE=home.arpa\nLISTEN=8443\n',
    },
    fault: [RUN, '<<EOF', "<<'EOF'"],
    tools: {
      proxy: `name="$(sed -n 's/^ *server_name \\(.*\\);$/\\1/p' "$2")"
case "$name" in
  *[!a-z0-9.-]* | '') echo "proxy: [emerg] invalid server name \\"$name\\" in the configuration" >&2; exit 1 ;;
esac
echo "proxy: the configuration is sound"
`,
    },
    check: `stages/web/run.sh
[ "$(tr -d ' \\n' <"$STATE/site.conf")" = "server{server_namehome.arpa;listen8443;}" ] || fault "the proxy serves another site"
cp -r stages config "$STATE"
cd "$STATE"
sed -i 's/8443/9443/' config/web/site.env
MENDLOOP_ROOT="$STATE" stages/web/run.sh
grep -q 'listen 9443;' site.conf || fault "the proxy does not follow config/web/site.env"
echo "the site is served"
`,
  }),

  reading('numbers compared as strings', {
    files: {
      [RUN]: `${HEAD}stages/web/room.sh 12000 9000
echo "room for the image"
`,
      'stages/web/room.sh': `${HEAD}# room.sh FREE NEEDED, both in MB
free="$1"
needed="$2"
if [ "$free" -lt "$needed" ]; then
  echo "error: the image does not fit: $free MB free, $needed MB needed" >&2
  exit 1
fi
`,
    },
    fault: ['stages/web/room.sh', '[ "$free" -lt "$needed" ]', '[[ "$free" < "$needed" ]]'],
    check: `stages/web/run.sh
for pair in '100 99' '9000 9000' '12000 9000' '5 0'; do
  stages/web/room.sh \${pair% *} \${pair#* } || fault "$pair is room enough"
done
for pair in '99 100' '9000 12000' '0 1'; do
  if stages/web/room.sh \${pair% *} \${pair#* } 2>/dev/null; then fault "$pair is not room enough"; fi
done
grep -qF 'stages/web/room.sh 12000 9000' stages/web/run.sh || fault "the room is not looked at"
echo "there is room"
`,
  }),

  reading('a test that is the wrong way round', {
    files: {
      [RUN]: `${HEAD}for node in $NODES; do
  state="$(machine state "$node")"
  if ! grep -qx ready <<<"$state"; then
    echo "error: $node is not ready" >&2
    exit 1
  fi
done
echo "all nodes are ready"
`,
    },
    fault: [RUN, 'if ! grep', 'if grep'],
    tools: { machine: `case "$2" in *off) echo starting ;; *) echo ready ;; esac\n` },
    check: `NODES='cp1 w1' stages/web/run.sh
for nodes in 'cp1 w1-off' 'cp1-off w1' 'w2-off'; do
  if NODES="$nodes" stages/web/run.sh >/dev/null 2>&1; then fault "$nodes: a node that is off was taken for ready"; fi
done
echo "readiness is judged soundly"
`,
  }),

  reading('a wrong default of a variable', {
    files: {
      [RUN]: `${HEAD}# Reached from every machine of the house, unless the owner says otherwise.
listen="\${WEB_LISTEN:-0.0.0.0:8080}"
admin="\${WEB_ADMIN:-127.0.0.1:9090}"
printf 'web %s\\nadmin %s\\n' "$listen" "$admin" >"$STATE/listen"
`,
    },
    fault: [RUN, 'WEB_LISTEN:-0.0.0.0', 'WEB_LISTEN:-127.0.0.1'],
    check: `unset WEB_LISTEN WEB_ADMIN
stages/web/run.sh
grep -q '^web 127' "$STATE/listen" && fault "10.0.0.7 got no page from web on 10.0.0.5:8080; on 10.0.0.5 itself it is there"
[ "$(tr '\\n' ' ' <"$STATE/listen")" = "web 0.0.0.0:8080 admin 127.0.0.1:9090 " ] || fault "web listens elsewhere: $(cat "$STATE/listen")"
WEB_LISTEN=10.0.0.5:80 stages/web/run.sh
grep -qx 'web 10.0.0.5:80' "$STATE/listen" || fault "what the owner says does not count"
echo "web is reached"
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
