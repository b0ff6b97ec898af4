import type {Resource} from '../../cluster/api/resources.ts'
import type {KubernetesObject} from '../../cluster/cluster.ts'
import type {Fields} from './schema.ts'

const GROUP = 'kk.openstack.org'
const VERSION = 'v1alpha1'

export const DEFINITIONS: Resource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
}

/** The one description of a kind, from which its CustomResourceDefinition, its types and its docs are made. */
export interface Kind {
  readonly kind: string
  readonly plural: string
  readonly shortName: string
  readonly description: string
  readonly spec: Fields
  readonly status: Fields
  /** A rule on the whole object, e.g. on its name. */
  readonly rules: NonNullable<Fields['x-kubernetes-validations']>
  /** The columns of `kubectl get`, by their headings. */
  readonly columns: Readonly<Record<string, string>>
}

/** Returns the place of a kind's objects in the API. */
export function resourceOf({kind, plural}: Kind): Resource {
  return {apiVersion: `${GROUP}/${VERSION}`, kind, plural, namespaced: true, hasStatus: true}
}

/** Returns the CustomResourceDefinition of a kind. */
export function definitionOf(kind: Kind): KubernetesObject {
  const {description, spec, status, rules, columns} = kind
  const age = {name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp'}
  return {
    apiVersion: DEFINITIONS.apiVersion,
    kind: DEFINITIONS.kind,
    metadata: {name: `${kind.plural}.${GROUP}`},
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
        {
          name: VERSION,
          served: true,
          storage: true,
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
            ...Object.entries(columns).map(([name, jsonPath]) => ({name, type: 'string', jsonPath})),
            age,
          ],
        },
      ],
    },
  }
}
