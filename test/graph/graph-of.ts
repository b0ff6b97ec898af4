import type {Edge, Graph} from '../../src/graph/graph.ts'
import {type EdgeKind, type ReleaseId, releaseId, releaseName} from '../../src/release.ts'

/** `keystone` → `openstack/keystone`; a name with a slash is taken as it is. */
export function id(name: string): ReleaseId {
  return name.includes('/') ? (name as ReleaseId) : releaseId('openstack', name)
}

export function names(releases: readonly ReleaseId[]): readonly string[] {
  return releases.map(releaseName)
}

/** A graph from `{keystone: ['mariadb', 'neutron:applied']}`, in the order of the keys. */
export function graphOf(requires: Readonly<Record<string, readonly string[]>>): Graph {
  const releases = Object.keys(requires).map(id)
  const edges = Object.entries(requires).map(
    ([name, stated]) => [id(name), stated.map((text) => edge(name, text))] as const,
  )
  return {releases, requirements: new Map(edges)}
}

function edge(from: string, text: string): Edge {
  const [to = '', kind = 'ready'] = text.split(':')
  return {
    from: id(from),
    to: id(to),
    kind: kind as EdgeKind,
    evidence: [
      {
        source: 'annotation',
        file: `charts/${from}/Chart.yaml`,
        text: `kk.openstack.org/requires: "${text}"`,
      },
    ],
  }
}
