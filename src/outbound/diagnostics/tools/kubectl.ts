// kubectl: what it may show. Types are named one by one: a type nobody thought of may hold secrets.
import { either, flags, listOf, matching, NAME, oneOf, operands, type Tool, type Verb, verbsWith } from '../grammar.ts';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** May be shown in full: what they hold is in the repository, or is no secret by its nature. */
const IN_FULL: ReadonlySet<string> = new Set(
  words(`
    po pod pods deploy deployment deployments rs replicaset replicasets sts statefulset statefulsets ds daemonset daemonsets
    job jobs cj cronjob cronjobs hpa horizontalpodautoscaler horizontalpodautoscalers pdb poddisruptionbudget
    poddisruptionbudgets svc service services ep endpoints endpointslice endpointslices ing ingress ingresses ingressclass
    ingressclasses netpol networkpolicy networkpolicies no node nodes ns namespace namespaces ev event events pv
    persistentvolume persistentvolumes pvc persistentvolumeclaim persistentvolumeclaims sc storageclass storageclasses
    volumeattachment volumeattachments csidriver csidrivers csinode csinodes sa serviceaccount serviceaccounts role roles
    rolebinding rolebindings clusterrole clusterroles clusterrolebinding clusterrolebindings quota resourcequota
    resourcequotas limits limitrange limitranges pc priorityclass priorityclasses lease leases crd crds
    customresourcedefinition customresourcedefinitions apiservice apiservices runtimeclass runtimeclasses
    ks kustomization kustomizations hr helmrelease helmreleases gitrepo gitrepository gitrepositories helmrepo
    helmrepository helmrepositories helmchart helmcharts ocirepo ocirepository ocirepositories
    cert certificate certificates certificaterequest certificaterequests issuer issuers clusterissuer clusterissuers
    order orders challenge challenges gateway gateways gatewayclass gatewayclasses httproute httproutes
    ingressroute ingressroutes ipaddresspool ipaddresspools l2advertisement l2advertisements
    servicemonitor servicemonitors podmonitor podmonitors prometheusrule prometheusrules
    ciliumnode ciliumnodes ciliumendpoint ciliumendpoints ciliumnetworkpolicy ciliumnetworkpolicies`),
);
/** Only as a table: what they hold may be anything. */
const AS_TABLE: ReadonlySet<string> = new Set(words('all cm configmap configmaps'));

const GROUP = /^(?:v\d\w*\.)?[a-z0-9.-]*$/;

/** Whether a type as written, with or without its group, is in one of `sets`. */
function isType(written: string, ...sets: readonly ReadonlySet<string>[]): boolean {
  const [name = '', ...group] = written.toLowerCase().split('.');
  return sets.some((types) => types.has(name)) && GROUP.test(group.join('.'));
}

/** `pods`, `pods,svc`, `pods web-0 web-1`, `pod/web-0 svc/web`. Returns the types, or why not. */
function typesOf(operands: readonly string[]): readonly string[] | string {
  const [first = '', ...rest] = operands;
  if (operands.some((operand) => operand.includes('/'))) {
    const pairs = operands.map((operand) => operand.split('/'));
    if (pairs.some(([, name = '', ...more]) => more.length > 0 || !NAME.takes(name))) return 'expected <type>/<name>';
    return pairs.map(([type = '']) => type);
  }
  return rest.every(NAME.takes) ? first.split(',') : 'expected names behind the type';
}

/** Refuses types that may not be shown; `full` for verbs that show all of an object. */
const checkTypes =
  (full: boolean): Required<Verb>['check'] =>
  (request) => {
    const types = typesOf(request.operands);
    if (typeof types === 'string') return types;
    const outputs = [...(request.flags.get('-o') ?? []), ...(request.flags.get('--output') ?? [])];
    const inFull = full || outputs.some((output) => output !== 'wide' && output !== 'name');
    const bad = types.find((type) => !(inFull ? isType(type, IN_FULL) : isType(type, IN_FULL, AS_TABLE)));
    if (bad === undefined) return undefined;
    return `kubectl may not show ${JSON.stringify(bad)}${isType(bad, AS_TABLE) ? ' in full, only as a table' : ''}`;
  };

const TYPES = matching('types and names', /^[A-Za-z0-9][\w.:,/-]{0,200}$/);
const WORKLOAD = matching(
  '<type>/<name>',
  /^(?:pods?|po|deploy|deployments?|sts|statefulsets?|ds|daemonsets?|rs|replicasets?|jobs?|svc|services?)\/[a-z0-9][a-z0-9.-]{0,200}$/,
);
const NAMESPACED = '-n --namespace <namespace>, --request-timeout <duration>';
const CHOSEN = `${NAMESPACED}, -A --all-namespaces, -l --selector <selector>`;

const verb = verbsWith({
  format: matching(
    'wide, name, yaml, json, jsonpath=… or custom-columns=…',
    /^(?:wide|name|yaml|json|(?:jsonpath|jsonpath-as-json|custom-columns)=[ -~]{1,250})$/,
  ),
  path: matching('a JSON path', /^\{?\.[^~]{0,250}$/),
  workload: WORKLOAD,
  types: listOf(oneOf('Normal Warning')),
  false: oneOf('false'),
});

export const KUBECTL: Tool = {
  name: 'kubectl',
  go: true,
  before: flags(NAMESPACED),
  verbs: [
    verb(
      'get',
      `${CHOSEN}, --sort-by <path>, -o --output <format>, --field-selector -L --label-columns <selector>,
       --no-headers --show-labels --show-kind --ignore-not-found`,
      { ...operands(TYPES, 1, 8), check: checkTypes(false) },
    ),
    verb('describe', CHOSEN, { ...operands(TYPES, 1, 8), check: checkTypes(true) }),
    verb(
      'logs',
      `${NAMESPACED}, -c --container <name>, --tail --limit-bytes <number>, --since <duration>, --since-time <moment>,
       -l --selector <selector>, -p --previous --timestamps --all-containers --all-pods --prefix --ignore-errors`,
      operands(either(NAME, WORKLOAD), 0, 2),
    ),
    verb('events', `${NAMESPACED}, -A --all-namespaces --no-headers, --for <workload>, --types <types>`),
    verb('top', `${CHOSEN}, --no-headers --containers --sum, --sort-by <cpu|memory>`, {
      ...operands(NAME, 1, 2),
      check: ({ operands: [kind = ''] }) =>
        /^(?:no|nodes?|po|pods?)$/.test(kind) ? undefined : 'kubectl top shows nodes or pods',
    }),
    verb('version', '--client, -o --output <yaml|json>'),
    verb('cluster-info, api-versions', NAMESPACED),
    verb('api-resources', '--no-headers, --api-group <name>, -o --output <wide|name>'),
    verb('explain', '--recursive, --api-version <selector>', operands(NAME, 1, 1)),
    verb('auth whoami', '-o --output <yaml|json>'),
    verb(
      'auth can-i',
      `${NAMESPACED}, -A --all-namespaces --list --no-headers -q --quiet`,
      operands(matching('a verb and a type', /^[a-z*][a-z0-9.*/-]{0,200}$/), 0, 3),
    ),
    verb('rollout status', `${NAMESPACED}, --timeout <seconds>, --watch=<false>`, {
      ...operands(WORKLOAD, 1, 1),
      needs: [['--timeout', '--watch']],
    }),
    verb('rollout history', `${NAMESPACED}, --revision <number>`, operands(WORKLOAD, 1, 1)),
    verb('config current-context'),
  ].flat(),
};
