import type {Edge, Graph} from '../../../src/graph/graph.ts'
import {type EdgeKind, type ReleaseId, releaseId} from '../../../src/release.ts'
import type {GraphView} from '../../../src/report/graph/graph-view.ts'
import {ALL_IN_ONE} from './all-in-one.ts'

/** A graph in the namespace `openstack`, from `{nova: ['placement', 'neutron:applied']}`. */
export function graphOf(requires: Readonly<Record<string, readonly string[]>>): Graph {
  const id = (name: string) => releaseId('openstack', name)
  const edge = (from: string, text: string): Edge => {
    const [to = '', kind = 'ready'] = text.split(':') as [string, EdgeKind?]
    const evidence = {
      source: 'annotation',
      file: `charts/${from}/Chart.yaml`,
      line: 9,
      text: `kk.openstack.org/requires: "${requires[from]?.join(', ')}"`,
    } as const
    return {from: id(from), to: id(to), kind, evidence: [evidence]}
  }
  return {
    releases: Object.keys(requires).map(id),
    requirements: new Map(
      Object.entries(requires).map(([from, texts]) => [id(from), texts.map((text) => edge(from, text))]),
    ),
  }
}

export const SIX: GraphView = {
  environment: 'all-in-one',
  graph: graphOf(ALL_IN_ONE),
  protected: new Set(['openstack/mariadb', 'openstack/rabbitmq']),
}

/** nova and neutron need each other. */
export const WITH_GROUP: GraphView = {
  environment: 'compute',
  graph: graphOf({
    keystone: [],
    placement: ['keystone'],
    nova: ['placement', 'keystone', 'neutron:applied'],
    neutron: ['keystone', 'nova:applied'],
    heat: ['nova', 'neutron', 'keystone'],
  }),
  protected: new Set(),
}

/** dashboard waits for keystone, and only names mariadb; nobody wrote either down. */
export const INFERRED: GraphView = {
  environment: 'inferred',
  graph: {
    releases: ['openstack/dashboard', 'openstack/keystone', 'openstack/mariadb'],
    requirements: new Map<ReleaseId, readonly Edge[]>([
      [
        'openstack/dashboard',
        [
          inferredEdge(
            'keystone',
            'ready',
            'Deployment/dashboard init container wait waits in a script for: Service/keystone-api',
          ),
          {
            ...inferredEdge('mariadb', 'applied', 'Deployment/dashboard mentions: Service/mariadb'),
            soft: true,
          },
        ],
      ],
      ['openstack/keystone', []],
      ['openstack/mariadb', []],
    ]),
  },
  protected: new Set(),
}

function inferredEdge(to: string, kind: EdgeKind, text: string): Edge {
  const evidence = {
    source: 'inferred',
    file: 'dashboard/templates/deployment.yaml',
    waiter: 'workload',
    text,
  } as const
  return {from: 'openstack/dashboard', to: releaseId('openstack', to), kind, evidence: [evidence]}
}
