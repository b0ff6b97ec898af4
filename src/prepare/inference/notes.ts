import {KkError} from '../../base/errors.ts'
import type {Chart} from '../../charts/chart.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Edge, Graph} from '../../graph/graph.ts'
import {groups} from '../../graph/groups.ts'
import type {Want} from '../../graph/inference/facts.ts'
import type {UnservedWant} from '../../graph/inference/infer.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import {KUBE_VERSION, readsVersion} from './facts-of-releases.ts'

/**
 * Returns a want in the notation of `kk.given`: `Secret/tls`, or `openstack/Secret/tls` in another namespace.
 */
export function wantedName({target}: Want): string {
  if (target.what === 'object') {
    const name = `${target.kind}/${target.name}`
    return target.namespace === undefined ? name : `${target.namespace}/${name}`
  }
  if (target.what === 'kind') return `CustomResourceDefinition/${target.kind}.${target.group}`
  if (target.what === 'link') return `Service/${target.variable.toLowerCase().replaceAll('_', '-')}`
  if (target.what === 'host') return 'a host'
  const labels = Object.entries(target.labels).map((pair) => pair.join('='))
  return `Pod/${labels.join(',')}`
}

/** Returns true if the environment declares in `kk.given` that the object exists without a chart. */
export function isGiven({want}: UnservedWant, {given}: Pick<Environment, 'given'>): boolean {
  return given.includes(wantedName(want))
}

/**
 * Returns true if helm would wait forever: a hook needs an object in one of these namespaces that no release
 * creates.
 */
export function isHanging({release, want}: UnservedWant, releases: ReadonlyMap<ReleaseId, unknown>): boolean {
  // An object of a missing kind fails immediately; only a wait for one blocks.
  const isMade = want.target.what === 'kind' && want.kind !== 'ready'
  if (want.waiter !== 'hook' || isMade) return false
  const targetNamespace = 'namespace' in want.target ? want.target.namespace : undefined
  const namespaces = new Set([...releases.keys()].map(releaseNamespace))
  return namespaces.has(targetNamespace ?? releaseNamespace(release))
}

/** Returns `KK_UNSERVED` for the wants that helm would wait for forever. */
export function unservedError(hanging: readonly UnservedWant[], {file}: Environment): KkError {
  const names = [...new Set(hanging.map(({want}) => wantedName(want)))]
  return new KkError(
    'KK_UNSERVED',
    [
      `${file}: hooks wait for objects that no release makes, and helm would wait for them:`,
      ...wantLines(hanging),
    ].join('\n'),
    {
      hint: `add the chart that makes it, to the file or by "kk charts index DIR" for a directory of kk.charts; if it exists without kk: kk.given: [${names.join(', ')}]`,
    },
  )
}

/** Returns one note for each object that no release creates, with the first object that needs it. */
export function unservedNotes(unserved: readonly UnservedWant[]): readonly string[] {
  const byThing = Map.groupBy(unserved, ({release, want}) => `${release} ${wantedName(want)}`)
  return [...byThing.values()].map((wants) => {
    const {release, want} = wants[0]!
    const more = wants.length === 1 ? '' : ` and ${wants.length - 1} more`
    return `no release makes ${wantedName(want)}, which ${releaseName(release)} needs: ${want.object} ${want.text}${more}`
  })
}

/** Returns a note for each chart that is indexed, but no longer in its directory. */
export function goneNotes(missingCharts: ReadonlySet<ReleaseId>): readonly string[] {
  return [...missingCharts].map(
    (release) =>
      `the chart ${releaseName(release)} was indexed and is no longer there: run "kk charts index DIR" for its directory again`,
  )
}

/** Returns a note on charts that read the version of Kubernetes, for renders without a cluster. */
export function versionNotes(charts: ReadonlyMap<ReleaseId, Chart>): readonly string[] {
  const names = [...charts]
    .filter(([, chart]) => readsVersion(chart))
    .map(([release]) => releaseName(release))
  if (names.length === 0) return []
  return [
    `no cluster is asked, so charts that ask for the version of Kubernetes are rendered for ${KUBE_VERSION}: ${names.join(', ')}`,
  ]
}

function wantLines(wants: readonly UnservedWant[]): readonly string[] {
  return [
    ...new Set(
      wants.map(({release, want}) => `  ${releaseName(release)}: ${want.object} ${want.text} (${want.file})`),
    ),
  ]
}

/** Returns a note for each hook that waits for its own group, whose members therefore start together. */
export function waitingHookNotes(graph: Graph): readonly string[] {
  return waitingHooks(graph).map(({from, to, evidence}) => {
    const hook = evidence.find(({waiter}) => waiter === 'hook')!
    return `${releaseName(from)} and ${releaseName(to)} need each other and start together; a hook waits there: ${hook.text}`
  })
}

/** Returns the edges inside groups by which a hook waits: helm must install the members concurrently. */
export function waitingHooks(graph: Graph): readonly Edge[] {
  const groupByRelease = groups(graph)
  return graph.releases
    .flatMap((release) => graph.requirements.get(release)!)
    .filter(({from, to}) => from !== to && groupByRelease.get(from) === groupByRelease.get(to))
    .filter(({evidence}) => evidence.some(({waiter, source}) => source === 'inferred' && waiter === 'hook'))
}
