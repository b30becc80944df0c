// kubectl: what it may show. Types are named one by one: a type nobody thought of may hold secrets.
import {
  DURATION,
  either,
  JSON_PATH,
  listOf,
  MOMENT,
  matching,
  NAME,
  NAMESPACE,
  NUMBER,
  on,
  oneOf,
  type Request,
  SECONDS,
  SELECTOR,
  type Tool,
  taking,
  verbs,
} from '../grammar.ts';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** May be shown in full: what they hold is in the repository, or is no secret by its nature. */
const SHOWN: ReadonlySet<string> = new Set(
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
const LISTED: ReadonlySet<string> = new Set(words('all cm configmap configmaps'));

const GROUP = /^(?:v\d\w*\.)?[a-z0-9.-]*$/;

/** Whether a type as written, with or without its group, is one of `known`. */
function isType(written: string, ...known: readonly ReadonlySet<string>[]): boolean {
  const [name = '', ...group] = written.toLowerCase().split('.');
  return known.some((types) => types.has(name)) && GROUP.test(group.join('.'));
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

const of = (shown: boolean) => (request: Request) => {
  const types = typesOf(request.operands);
  if (typeof types === 'string') return types;
  const outputs = [...(request.flags.get('-o') ?? []), ...(request.flags.get('--output') ?? [])];
  const inFull = shown || outputs.some((output) => output !== 'wide' && output !== 'name');
  const bad = types.find((type) => !(inFull ? isType(type, SHOWN) : isType(type, SHOWN, LISTED)));
  if (bad === undefined) return undefined;
  return `kubectl may not show ${JSON.stringify(bad)}${isType(bad, LISTED) ? ' in full, only as a table' : ''}`;
};

const OPERAND = matching('types and names', /^[A-Za-z0-9][\w.:,/-]{0,200}$/);
const FORMAT = matching(
  'wide, name, yaml, json, jsonpath=… or custom-columns=…',
  /^(?:wide|name|yaml|json|(?:jsonpath|jsonpath-as-json|custom-columns)=[ -~]{1,250})$/,
);
const NAMESPACED = { ...taking(NAMESPACE, '-n --namespace'), ...taking(DURATION, '--request-timeout') };
const CHOSEN = { ...NAMESPACED, ...on('-A --all-namespaces'), ...taking(SELECTOR, '-l --selector') };
const SORTED = { ...taking(JSON_PATH, '--sort-by'), ...on('--no-headers') };
const WORKLOAD = matching(
  '<type>/<name>',
  /^(?:pods?|po|deploy|deployments?|sts|statefulsets?|ds|daemonsets?|rs|replicasets?|jobs?|svc|services?)\/[a-z0-9][a-z0-9.-]{0,200}$/,
);

export const KUBECTL: Tool = {
  name: 'kubectl',
  go: true,
  before: NAMESPACED,
  verbs: [
    {
      words: 'get',
      flags: {
        ...{ ...CHOSEN, ...SORTED, ...taking(FORMAT, '-o --output'), ...taking(SELECTOR, '--field-selector') },
        ...{ ...taking(SELECTOR, '-L --label-columns'), ...on('--show-labels --show-kind --ignore-not-found') },
      },
      ...{ operand: OPERAND, count: [1, 8], check: of(false) },
    },
    { words: 'describe', flags: CHOSEN, operand: OPERAND, count: [1, 8], check: of(true) },
    {
      words: 'logs',
      flags: {
        ...{ ...NAMESPACED, ...taking(NAME, '-c --container'), ...taking(NUMBER, '--tail --limit-bytes') },
        ...{ ...taking(DURATION, '--since'), ...taking(MOMENT, '--since-time'), ...taking(SELECTOR, '-l --selector') },
        ...on('-p --previous --timestamps --all-containers --all-pods --prefix --ignore-errors'),
      },
      ...{ operand: either(NAME, WORKLOAD), count: [0, 2] },
    },
    {
      words: 'events',
      flags: {
        ...{ ...NAMESPACED, ...on('-A --all-namespaces --no-headers'), ...taking(WORKLOAD, '--for') },
        ...taking(listOf(oneOf('Normal Warning')), '--types'),
      },
    },
    ...verbs('top', {
      flags: {
        ...{ ...CHOSEN, ...on('--no-headers --containers --sum'), ...taking(oneOf('cpu memory'), '--sort-by') },
      },
      ...{ operand: NAME, count: [1, 2] },
      check: ({ operands: [kind = ''] }) =>
        /^(?:no|nodes?|po|pods?)$/.test(kind) ? undefined : 'kubectl top shows nodes or pods',
    }),
    { words: 'version', flags: { ...on('--client'), ...taking(oneOf('yaml json'), '-o --output') } },
    ...verbs('cluster-info api-versions', { flags: NAMESPACED }),
    {
      words: 'api-resources',
      flags: { ...on('--no-headers'), ...taking(NAME, '--api-group'), ...taking(oneOf('wide name'), '-o --output') },
    },
    {
      words: 'explain',
      ...{ flags: { ...on('--recursive'), ...taking(SELECTOR, '--api-version') }, operand: NAME, count: [1, 1] },
    },
    { words: 'auth whoami', flags: taking(oneOf('yaml json'), '-o --output') },
    {
      words: 'auth can-i',
      flags: { ...NAMESPACED, ...on('-A --all-namespaces --list --no-headers -q --quiet') },
      ...{ operand: matching('a verb and a type', /^[a-z*][a-z0-9.*/-]{0,200}$/), count: [0, 3] },
    },
    {
      words: 'rollout status',
      flags: { ...NAMESPACED, ...taking(SECONDS, '--timeout'), '--watch': { attached: oneOf('false') } },
      ...{ operand: WORKLOAD, count: [1, 1], needs: [['--timeout', '--watch']] },
    },
    {
      words: 'rollout history',
      flags: { ...NAMESPACED, ...taking(NUMBER, '--revision') },
      operand: WORKLOAD,
      count: [1, 1],
    },
    { words: 'config current-context' },
  ],
};
