import {type Exported, exportedGroups, separatorOf, type Unplaced} from '../../../src/exchange/exported.ts'
import type {Edge} from '../../../src/graph/graph.ts'
import {type ReleaseId, releaseId} from '../../../src/release.ts'

type Stated = Partial<Unplaced> & {
  /** `mariadb`, `neutron:applied`, `horizon:soft`; releases of other environments with their namespace. */
  readonly requires?: readonly string[]
}

/** Returns an environment for an export, with releases by their names. */
export function exportedWith(
  releases: Readonly<Record<string, Stated>>,
  rest: Partial<Exported> = {},
): Exported {
  const known = new Map(
    Object.entries(releases).map(([name, {requires: _, ...stated}]) => {
      const namespace = stated.namespace ?? 'openstack'
      return [releaseId(namespace, name), releaseWith(name, {namespace, ...stated})] as const
    }),
  )
  const idOf = (word: string) =>
    word.includes('/') ? (word as ReleaseId) : [...known.keys()].find((id) => id.endsWith(`/${word}`))!
  const requirements = new Map<ReleaseId, readonly Edge[]>()
  for (const from of known.keys()) {
    const {requires = []} = releases[known.get(from)!.name]!
    requirements.set(
      from,
      requires.map((word) => {
        const [to = '', kind = 'ready'] = word.split(':')
        const edge = {
          from,
          to: idOf(to),
          kind: kind === 'applied' ? 'applied' : 'ready',
          evidence: [],
        } as const
        return kind === 'soft' ? {...edge, soft: true} : edge
      }),
    )
  }
  for (const {to} of [...requirements.values()].flat()) if (!requirements.has(to)) requirements.set(to, [])
  const graph = {releases: [...requirements.keys()], requirements}
  return {
    name: 'cloud',
    separator: separatorOf(rest.name ?? 'cloud'),
    groups: exportedGroups(graph, known),
    file: {name: 'cloud.yaml', digest: 'd1'},
    readiness: [],
    directories: [],
    unknownFacts: [],
    certificates: [],
    sops: false,
    image: 'kk',
    ...rest,
  }
}

function releaseWith(
  name: string,
  stated: Omit<Stated, 'requires'> & {readonly namespace: string},
): Unplaced {
  return {
    id: releaseId(stated.namespace, name),
    name,
    chart: {name, version: '1.2.3', isLocked: false},
    values: {},
    secrets: [],
    timeoutSeconds: 900,
    protected: false,
    hooksAfter: false,
    frozen: false,
    ...stated,
  }
}
