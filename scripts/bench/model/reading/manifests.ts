// Manifests and templates that are each sound by themselves, and do not fit together.
import { HEAD, reading } from './stage.ts';

const RENDER = 'stages/web/render.sh';
const DEPLOYMENT = 'manifests/web/deployment.yaml';
const SERVICE = 'manifests/web/service.yaml';

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: prod
spec:
  replicas: 2
  selector:
    matchLabels:
      app: frontend
  template:
    metadata:
      labels:
        app: frontend
    spec:
      containers:
        - name: web
          image: home/web:1.5.0
          ports:
            - containerPort: 8080
          resources:
            requests:
              memory: 512Mi
            limits:
              memory: 512Mi
`;
const service = `apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: prod
spec:
  selector:
    app: frontend
  ports:
    - port: 80
      targetPort: 8080
`;
const policy = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: web
  namespace: prod
spec:
  podSelector:
    matchLabels:
      app: frontend
`;

/** What the manifests say, as bash sees it: `value FILE KEY [NTH]`. */
const VALUE = `value() {
  awk -v key="$2:" -v nth="\${3:-1}" '{ sub(/^ *(- )?/, "") } $1 == key && ++n == nth { print $2 }' "manifests/web/$1.yaml"
}
same() {
  [ "$2" = "$3" ] || fault "$1: $2 is not $3"
}
`;
const REST = `same "deployment/web, its pods" "$(value deployment app 1)-$(value deployment app 2)" frontend-frontend
same "deployment/web, replicas" "$(value deployment replicas)" 2
same "service/web, target port" "$(value service targetPort)" "$(value deployment containerPort)"
`;

export const readingManifests = [
  reading('a namespace that is missing', {
    files: { [DEPLOYMENT]: deployment, [SERVICE]: service, 'manifests/web/policy.yaml': policy },
    fault: [DEPLOYMENT, '  name: web\n  namespace: prod\nspec:', '  name: web\nspec:'],
    check: `${VALUE}[ "$(value deployment namespace)" = "$(value service namespace)" ] ||
  fault "service/web in namespace prod has no endpoints after 60 s"
for kind in deployment service policy; do same "$kind/web, namespace" "$(value "$kind" namespace)" prod; done
same "deployment/web, below metadata" "$(sed -n '/^metadata:/,/^spec:/p' ${DEPLOYMENT} | grep -c '^  namespace: prod$')" 1
${REST}echo "service/web has 2 endpoints"
`,
  }),

  reading('a selector that matches nothing', {
    files: { [DEPLOYMENT]: deployment, [SERVICE]: service, 'manifests/web/policy.yaml': policy },
    fault: [SERVICE, 'app: frontend', 'app: web'],
    check: `${VALUE}${REST}[ "$(value service app)" = "$(value deployment app 2)" ] || fault "service/web: 0 endpoints, 2 expected"
same "networkpolicy/web, pods it is for" "$(value policy app)" frontend
same "service/web, namespace" "$(value service namespace)" prod
echo "service/web has 2 endpoints"
`,
  }),

  reading('a unit that does not exist', {
    files: { [DEPLOYMENT]: deployment },
    fault: [DEPLOYMENT, 'limits:\n              memory: 512Mi', 'limits:\n              memory: 512MB'],
    check: `${VALUE}limit="$(value deployment memory 2)"
[[ "$limit" =~ ^[0-9]+(Ki|Mi|Gi|k|M|G)?$ ]] ||
  fault "Deployment \\"web\\" is invalid: spec.template.spec.containers[0].resources.limits: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
same "pod web is not of the class Guaranteed, requests and limits" "$(value deployment memory 1)" "$limit"
same "deployment/web, memory" "$limit" 512Mi
${REST.split('\n').slice(0, 2).join('\n')}
echo "deployment/web is accepted"
`,
  }),

  reading('a tag that the registry no longer has', {
    files: {
      [DEPLOYMENT]: deployment,
      'manifests/web/images.lock': '# image and tag, as the registry has them\ncache 7.2.4\nweb 1.5.0\n',
    },
    fault: [DEPLOYMENT, 'web:1.5.0', 'web:1.4.2'],
    check: `${VALUE}image="$(value deployment image)"
case "$image" in
  home/web:1.5.0) ;;
  home/web:*) fault "pod web-0: ErrImagePull: $image: manifest unknown" ;;
  *) fault "pod web-0: $image is nobody's image" ;;
esac
[ "$(sed 1d manifests/web/images.lock)" = "$(printf 'cache 7.2.4\\nweb 1.5.0')" ] || fault "images.lock is not what the registry has"
${REST.split('\n').slice(0, 2).join('\n')}
echo "the image is there"
`,
  }),

  reading('a template variable renamed in one place only', {
    files: {
      [RENDER]: `${HEAD}mkdir -p "$STATE/out"\nfor name in workload budget; do\n  render manifests/web/values.conf "manifests/web/$name.tpl" >"$STATE/out/$name.yaml"\ndone\n`,
      'manifests/web/values.conf': 'name=web\nreplica_count=3\n',
      'manifests/web/workload.tpl': 'kind: Deployment\nname: {{ name }}\nreplicas: {{ replica_count }}\n',
      'manifests/web/budget.tpl': 'kind: PodDisruptionBudget\nname: {{ name }}\nof: {{ replica_count }}\n',
    },
    fault: ['manifests/web/workload.tpl', '{{ replica_count }}', '{{ replicas }}'],
    tools: {
      render: `# A variable that is not set is the empty text, as in most template languages.
awk -F= 'FNR == NR { v[$1] = $2; next }
  { while (match($0, /{{ [a-z_]+ }}/)) { k = substr($0, RSTART + 3, RLENGTH - 6); $0 = substr($0, 1, RSTART - 1) v[k] substr($0, RSTART + RLENGTH) } print }' "$1" "$2"
`,
    },
    check: `stages/web/render.sh
grep -qx 'replicas: [0-9][0-9]*' "$STATE/out/workload.yaml" || fault "Deployment web: replicas: expected an integer, found nothing"
[ "$(tr '\\n' ' ' <"$STATE/out/workload.yaml")" = "kind: Deployment name: web replicas: 3 " ] || fault "the deployment has changed"
[ "$(tr '\\n' ' ' <"$STATE/out/budget.yaml")" = "kind: PodDisruptionBudget name: web of: 3 " ] || fault "the budget has changed"
if grep -vqE '^(name|replica_count)=' manifests/web/values.conf; then fault "values.conf: a key that its schema does not know"; fi
sed 's/=3/=4/' manifests/web/values.conf >"$STATE/values"
render "$STATE/values" manifests/web/workload.tpl | grep -qx 'replicas: 4' || fault "the deployment does not follow replica_count"
echo "rendered"
`,
  }),
];
