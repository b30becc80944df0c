// What the simulated API server knows of the kinds that stages use: enough to refuse misspelt fields and wrong types.
// A schema is `true` (anything), a Go type name for a scalar, [item] for a list, or an object; `$` is its Go type.

const anything = true;
const meta = {
  $: 'ObjectMeta',
  name: 'string',
  generateName: 'string',
  namespace: 'string',
  labels: anything,
  annotations: anything,
  finalizers: anything,
  ownerReferences: anything,
};
const kind = (fields) => ({ apiVersion: 'string', kind: 'string', metadata: meta, ...fields });

const container = {
  $: 'Container',
  name: 'string',
  image: 'string',
  imagePullPolicy: 'string',
  command: ['string'],
  args: ['string'],
  workingDir: 'string',
  env: [{ $: 'EnvVar', name: 'string', value: 'string', valueFrom: anything }],
  envFrom: anything,
  ports: [
    {
      $: 'ContainerPort',
      name: 'string',
      containerPort: 'int32',
      hostPort: 'int32',
      protocol: 'string',
      hostIP: 'string',
    },
  ],
  resources: { $: 'ResourceRequirements', requests: anything, limits: anything, claims: anything },
  volumeMounts: [
    {
      $: 'VolumeMount',
      name: 'string',
      mountPath: 'string',
      subPath: 'string',
      subPathExpr: 'string',
      readOnly: anything,
      mountPropagation: 'string',
      recursiveReadOnly: 'string',
    },
  ],
  volumeDevices: anything,
  livenessProbe: anything,
  readinessProbe: anything,
  startupProbe: anything,
  lifecycle: anything,
  securityContext: anything,
  restartPolicy: 'string',
  stdin: anything,
  stdinOnce: anything,
  tty: anything,
  terminationMessagePath: 'string',
  terminationMessagePolicy: 'string',
  resizePolicy: anything,
};
const pod = {
  $: 'PodSpec',
  containers: [container],
  initContainers: [container],
  ...Object.fromEntries(
    `volumes nodeSelector affinity tolerations serviceAccountName serviceAccount securityContext restartPolicy hostNetwork
     hostPID hostIPC hostname subdomain dnsPolicy dnsConfig imagePullSecrets terminationGracePeriodSeconds priorityClassName
     priority topologySpreadConstraints automountServiceAccountToken enableServiceLinks hostAliases runtimeClassName
     schedulerName shareProcessNamespace activeDeadlineSeconds nodeName readinessGates os overhead hostUsers`
      .split(/\s+/)
      .map((name) => [name, anything]),
  ),
};
const template = { $: 'PodTemplateSpec', metadata: meta, spec: pod };
const workload = (type, more = {}) =>
  kind({
    spec: {
      $: type,
      selector: anything,
      template,
      minReadySeconds: 'int32',
      revisionHistoryLimit: 'int32',
      ...more,
    },
  });

const SCHEMAS = {
  'v1/Namespace': kind({ spec: anything }),
  'v1/ConfigMap': kind({ data: { $map: 'string', $: 'ConfigMap' }, binaryData: anything, immutable: anything }),
  'v1/Secret': kind({
    data: anything,
    stringData: { $map: 'string', $: 'Secret' },
    type: 'string',
    immutable: anything,
  }),
  'v1/Service': kind({
    spec: {
      $: 'ServiceSpec',
      type: 'string',
      selector: anything,
      ports: [
        {
          $: 'ServicePort',
          name: 'string',
          port: 'int32',
          targetPort: anything,
          protocol: 'string',
          nodePort: 'int32',
          appProtocol: 'string',
        },
      ],
      clusterIP: 'string',
      clusterIPs: anything,
      externalIPs: anything,
      externalName: 'string',
      externalTrafficPolicy: 'string',
      internalTrafficPolicy: 'string',
      ipFamilies: anything,
      ipFamilyPolicy: 'string',
      loadBalancerClass: 'string',
      loadBalancerIP: 'string',
      loadBalancerSourceRanges: anything,
      publishNotReadyAddresses: anything,
      sessionAffinity: 'string',
      allocateLoadBalancerNodePorts: anything,
      trafficDistribution: 'string',
    },
  }),
  'apps/v1/Deployment': workload('DeploymentSpec', {
    replicas: 'int32',
    strategy: anything,
    paused: anything,
    progressDeadlineSeconds: 'int32',
  }),
  'apps/v1/StatefulSet': workload('StatefulSetSpec', {
    replicas: 'int32',
    serviceName: 'string',
    volumeClaimTemplates: anything,
    podManagementPolicy: 'string',
    updateStrategy: anything,
    persistentVolumeClaimRetentionPolicy: anything,
    ordinals: anything,
  }),
  'apps/v1/DaemonSet': workload('DaemonSetSpec', { updateStrategy: anything }),
  'networking.k8s.io/v1/Ingress': kind({
    spec: {
      $: 'IngressSpec',
      ingressClassName: 'string',
      defaultBackend: anything,
      tls: [{ $: 'IngressTLS', hosts: ['string'], secretName: 'string' }],
      rules: [
        {
          $: 'IngressRule',
          host: 'string',
          http: {
            $: 'HTTPIngressRuleValue',
            paths: [
              {
                $: 'HTTPIngressPath',
                path: 'string',
                pathType: 'string',
                backend: { $: 'IngressBackend', service: anything, resource: anything },
              },
            ],
          },
        },
      ],
    },
  }),
};

const typeName = (value) =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value;

function* problems(schema, value, path, root, owner) {
  if (schema === anything || value === null || value === undefined) return;
  const field = path.replace(/\[\d+\]/g, '');
  if (typeof schema === 'string') {
    const fits = schema === 'string' ? typeof value === 'string' : Number.isInteger(value);
    if (!fits)
      yield {
        type: `json: cannot unmarshal ${typeName(value)} into Go struct field ${owner ?? root}.${field} of type ${schema}`,
      };
  } else if (Array.isArray(schema)) {
    if (!Array.isArray(value)) {
      yield {
        type: `json: cannot unmarshal ${typeName(value)} into Go struct field ${owner ?? root}.${field} of type []v1.${schema[0].$ ?? schema[0]}`,
      };
      return;
    }
    for (const [i, item] of value.entries()) yield* problems(schema[0], item, `${path}[${i}]`, root, owner);
  } else if (typeof value !== 'object' || Array.isArray(value)) {
    yield {
      type: `json: cannot unmarshal ${typeName(value)} into Go struct field ${owner ?? root}.${field} of type v1.${schema.$ ?? root}`,
    };
  } else {
    for (const [key, item] of Object.entries(value)) {
      const next = path ? `${path}.${key}` : key;
      if (schema.$map) yield* problems(schema.$map, item, path, root, schema.$);
      else if (Object.hasOwn(schema, key)) yield* problems(schema[key], item, next, root, schema.$);
      else yield { unknown: `unknown field "${next}"` };
    }
  }
}

function missing(object) {
  const found = [];
  const { kind: name, spec } = object;
  if (['Deployment', 'StatefulSet', 'DaemonSet'].includes(name)) {
    if (!spec?.selector) found.push('spec.selector: Required value');
    else {
      const labels = spec.template?.metadata?.labels ?? {};
      const differs = Object.entries(spec.selector.matchLabels ?? {}).some(([key, value]) => labels[key] !== value);
      const shown = JSON.stringify(labels);
      if (differs)
        found.push(
          `spec.template.metadata.labels: Invalid value: ${shown}: \`selector\` does not match template \`labels\``,
        );
    }
    if (!spec?.template?.spec?.containers?.length) found.push('spec.template.spec.containers: Required value');
    for (const [i, c] of (spec?.template?.spec?.containers ?? []).entries()) {
      if (!c?.name) found.push(`spec.template.spec.containers[${i}].name: Required value`);
      if (!c?.image) found.push(`spec.template.spec.containers[${i}].image: Required value`);
    }
  }
  if (name === 'Service' && spec?.type !== 'ExternalName' && !spec?.ports?.length)
    found.push('spec.ports: Required value');
  return found;
}

/** The API server's objection to an object, as it would word it after the file's name, or undefined. */
export function objection(object, file) {
  const { apiVersion, kind: name } = object;
  const schema = SCHEMAS[`${apiVersion}/${name}`];
  if (!schema) return undefined;
  const found = [...problems(schema, object, '', name)];
  const wrongType = found.find((p) => p.type)?.type;
  const unknown = found.filter((p) => p.unknown).map((p) => p.unknown);
  const reason = wrongType ?? (unknown.length > 0 ? `strict decoding error: ${unknown.join(', ')}` : undefined);
  if (reason)
    return `Error from server (BadRequest): error when creating "${file}": ${name} in version "${apiVersion.split('/').pop()}" cannot be handled as a ${name}: ${reason}`;
  const absent = missing(object);
  if (absent.length === 0) return undefined;
  const list = absent.length === 1 ? ` ${absent[0]}` : absent.map((line) => `\n* ${line}`).join('');
  return `The ${name} "${object.metadata?.name}" is invalid:${list}`;
}
