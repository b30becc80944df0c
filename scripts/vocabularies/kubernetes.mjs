// Kinds of Kubernetes: those it has itself, from its OpenAPI document, and those that a controller defines, from its CRDs.
import { parseAllDocuments } from 'yaml';
import { schemaTypes, within } from './json-schema.mjs';

const OPENAPI = 'api/openapi-spec/swagger.json';
const METADATA = { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' };

const rootOf = (kind, group, version) => `${kind}:${group ? `${group}/` : ''}${version}`;

/** The finished versions of `kinds`. */
export function builtInKinds(kubernetes, kinds) {
  const openapi = JSON.parse(kubernetes.read(OPENAPI));
  const found = Object.values(openapi.definitions).flatMap((definition) =>
    (definition['x-kubernetes-group-version-kind'] ?? [])
      .filter(({ kind, version }) => kinds.includes(kind) && /^v\d+$/.test(version))
      .map(({ group, kind, version }) => [rootOf(kind, group, version), written(definition)]),
  );
  return schemaTypes(Object.fromEntries(found), within(openapi));
}

/** What the CRDs in `places` ([repository, folder]) define, `kinds` or all, in each version that is served. */
export function customKinds(kubernetes, places, kinds) {
  const documents = places.flatMap(([repository, folder]) =>
    repository.list(folder).flatMap((path) => (path.endsWith('.yaml') ? parseAllDocuments(repository.read(path)) : [])),
  );
  const found = documents
    .map((document) => document.toJS())
    .filter((crd) => crd?.kind === 'CustomResourceDefinition' && (!kinds || kinds.includes(crd.spec.names.kind)))
    .flatMap(({ spec: { group, names, versions } }) =>
      versions
        .filter(({ served }) => served)
        .map(({ name, schema }) => [rootOf(names.kind, group, name), written(schema.openAPIV3Schema)]),
    );
  return schemaTypes(Object.fromEntries(found), within(JSON.parse(kubernetes.read(OPENAPI))));
}

/** As people write it: the status is the controller's. */
function written({ properties: { status: _, ...properties }, ...schema }) {
  return { ...schema, properties: { ...properties, metadata: METADATA } };
}
