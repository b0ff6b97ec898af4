import type {Resource} from '../../kubernetes/api/resources.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {Fields} from './schema.ts'

export const GROUP = 'kk.openstack.org'
/** The label of a CustomResourceDefinition with the version of the kk that wrote it. */
export const KK_VERSION = 'app.kubernetes.io/version'
/** The version that kk reads and writes, and in which the API server stores objects. */
const VERSION = 'v1alpha1'
/**
 * Versions that are served next to it, for an older kk: fields are only ever added, so no conversion is
 * needed.
 */
const EARLIER_VERSIONS: readonly string[] = []

export const CRDS: Resource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
}

/** The source of a CustomResourceDefinition; the TypeScript types and the docs are generated from it, too. */
export interface Crd {
  readonly kind: string
  readonly plural: string
  readonly shortName: string
  readonly description: string
  readonly spec: Fields
  readonly status: Fields
  /** CEL rules on the whole object, e.g. on its name. */
  readonly rules: NonNullable<Fields['x-kubernetes-validations']>
  /** The columns of `kubectl get`, by their headings. */
  readonly columns: Readonly<Record<string, string>>
}

/** Returns the API resource of a CRD. */
export function crdResource({kind, plural}: Crd): Resource {
  return {apiVersion: `${GROUP}/${VERSION}`, kind, plural, namespaced: true, hasStatus: true}
}

/** Returns the name of the CustomResourceDefinition. */
export function crdName({plural}: Crd): string {
  return `${plural}.${GROUP}`
}

/** Returns the manifest of a CustomResourceDefinition. `kk` is the version of this kk. */
export function crdManifest(kind: Crd, kk: string): KubernetesObject {
  return {
    apiVersion: CRDS.apiVersion,
    kind: CRDS.kind,
    metadata: {name: crdName(kind), labels: {[KK_VERSION]: kk}},
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: {
        kind: kind.kind,
        plural: kind.plural,
        singular: kind.kind.toLowerCase(),
        shortNames: [kind.shortName],
        categories: ['kk'],
      },
      versions: [
        ...EARLIER_VERSIONS.map((name) => crdVersion(kind, name, false)),
        crdVersion(kind, VERSION, true),
      ],
    },
  }
}

function crdVersion(
  {description, spec, status, rules, columns}: Crd,
  name: string,
  isStored: boolean,
): object {
  const age = {name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp'}
  return {
    name,
    served: true,
    storage: isStored,
    schema: {
      openAPIV3Schema: {
        type: 'object',
        description,
        properties: {
          apiVersion: {type: 'string'},
          kind: {type: 'string'},
          metadata: {type: 'object'},
          spec,
          status,
        },
        required: ['spec'],
        'x-kubernetes-validations': rules,
      },
    },
    subresources: {status: {}},
    additionalPrinterColumns: [
      ...Object.entries(columns).map(([heading, jsonPath]) => ({name: heading, type: 'string', jsonPath})),
      age,
    ],
  }
}
