// Settings that contradict each other: addresses, ports, names.
import { HEAD, reading } from './stage.ts';

const RUN = 'stages/web/run.sh';

/** `setting FILE KEY` */
const SETTING = `setting() {
  sed -n "s/^$2=//p" "config/web/$1"
}
`;

export const readingSettings = [
  reading('an address range that ends one too early', {
    files: {
      'config/web/pool.conf':
        '# One address for each line of services; .239 is the router, .250 the printer.\nfirst=240\nlast=249\n',
      'config/web/services': 'web\ngrafana\nprometheus\nloki\ngitea\nregistry\nmqtt\nzigbee\nmedia\nbackup\n',
    },
    fault: ['config/web/pool.conf', 'last=249', 'last=248'],
    check: `${SETTING}mapfile -t services <config/web/services
[ "\${services[*]}" = 'web grafana prometheus loki gitea registry mqtt zigbee media backup' ] || fault "a service is not there any more"
next="$(setting pool.conf first)" last="$(setting pool.conf last)"
for service in "\${services[@]}"; do
  [ "$next" -le "$last" ] || fault "service/$service: EXTERNAL-IP is pending: the pool is exhausted"
  case "$next" in 239 | 250) fault "10.20.0.$next answers already: somebody else has it" ;; esac
  echo "$service 10.20.0.$next"
  next=$((next + 1))
done
[ "$next" -gt "$last" ] || fault "the pool takes addresses that belong to others, from 10.20.0.$next"
`,
  }),

  reading('a port that differs between two files', {
    files: {
      'config/web/server.conf': 'name=web\nport=8080\n',
      'config/web/router.conf': '# what the router passes on\nfrom=443\nto=8080\n',
      'config/web/probe.conf': 'path=/healthz\nport=8080\nevery=10\n',
    },
    fault: ['config/web/probe.conf', 'port=8080', 'port=8081'],
    check: `${SETTING}server="$(setting server.conf port)" probe="$(setting probe.conf port)"
[ "$probe" = "$server" ] || fault "web is unhealthy: the probe has had no answer for 30 s"
[ "$(setting router.conf from)-$(setting router.conf to)" = "443-$server" ] || fault "nothing comes through the router"
[ "$server" = 8080 ] || fault "web may not listen on $server"
[ "$(setting probe.conf path)-$(setting probe.conf every)" = /healthz-10 ] || fault "the probe asks for something else"
echo "web is healthy"
`,
  }),

  reading('a context that the kubeconfig does not have', {
    files: {
      [RUN]: `${HEAD}context=admin@homelab\nctl --kubeconfig config/web/clusters.yaml --context "$context" apply web\n`,
      'config/web/clusters.yaml': `apiVersion: v1
kind: Config
current-context: viewer@homelab
contexts:
  - name: viewer@homelab
    context: { cluster: homelab, user: viewer }
  - name: admin@homelab
    context: { cluster: homelab, user: admin }
`,
    },
    fault: [RUN, 'context=admin@homelab', 'context=admin@home'],
    tools: {
      ctl: `grep -qx -- "  - name: $4" "$2" || { echo "error: context \\"$4\\" does not exist" >&2; exit 1; }
user="$(grep -A1 -x -- "  - name: $4" "$2" | sed -n 's/.*user: \\([a-z]*\\).*/\\1/p')"
[ "$user" = admin ] || { echo "error: $5 is forbidden: user $user cannot apply" >&2; exit 1; }
echo "$user $5 $6" >"$STATE/applied"
`,
    },
    check: `stages/web/run.sh
[ "$(cat "$STATE/applied")" = 'admin apply web' ] || fault "web was not applied"
[ "$(grep -c -- '- name: ' config/web/clusters.yaml)" = 2 ] || fault "the cluster knows of no other context"
echo "web is applied"
`,
  }),

  reading('a name with the wrong suffix', {
    files: {
      'config/web/upstreams.conf': `# Services of the cluster, by their full names.
api=api.prod.svc.cluster.local
cache=cache.prod.svc.cluster.local
db=db.prod.svc.cluster.local
`,
    },
    fault: ['config/web/upstreams.conf', 'cache.prod.svc.cluster.local', 'cache.prod.svc.local'],
    check: `${SETTING}for name in api cache db; do
  upstream="$(setting upstreams.conf "$name")"
  [ "$upstream" = "$name.prod.svc.cluster.local" ] || fault "proxy: [emerg] no such upstream \\"$upstream\\""
done
[ "$(grep -c = config/web/upstreams.conf)" = 3 ] || fault "there are three upstreams"
echo "three upstreams"
`,
  }),

  reading('a network that is too small', {
    files: {
      'config/web/network.conf': `# Every node takes a /24 of the pods. Four nodes, and the services follow them without a gap.
nodes=cp1 w1 w2 w3
pods=10.42.0.0/22
services=10.42.4.0/24
`,
    },
    fault: ['config/web/network.conf', '10.42.0.0/22', '10.42.0.0/23'],
    check: `${SETTING}pods="$(setting network.conf pods)"
[ "\${pods%/*} $(setting network.conf services)" = '10.42.0.0 10.42.4.0/24' ] || fault "the routes of the switch do not fit"
read -ra nodes <<<"$(setting network.conf nodes)"
[ "\${nodes[*]}" = 'cp1 w1 w2 w3' ] || fault "four nodes are plugged in"
blocks=$((1 << (24 - \${pods#*/})))
for i in "\${!nodes[@]}"; do
  [ "$i" -lt "$blocks" ] || fault "node \${nodes[i]}: CIDRNotAvailable: no remaining CIDRs to allocate"
done
[ "$blocks" -le 4 ] || fault "$pods overlaps with the services"
echo "four nodes have their networks"
`,
  }),
];
