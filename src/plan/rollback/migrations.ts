import type {KubernetesObject} from '../../cluster/cluster.ts'
import {canonicalJson} from '../digest.ts'

/** On a Job that changes the schema of a database. */
const MIGRATION_ANNOTATION = 'kk.openstack.org/migration'

/**
 * The Jobs that migrate a database and are not the same in both manifests, by name: a database was, or would have been,
 * migrated on the way from one to the other. Names of Jobs that end in a hash of their spec differ, too.
 */
export function migrationsBetween(
  last: readonly KubernetesObject[],
  target: readonly KubernetesObject[],
): readonly string[] {
  const [ours, theirs] = [migrations(last), migrations(target)]
  const names = new Set([...ours.keys(), ...theirs.keys()])
  return [...names].filter((name) => ours.get(name) !== theirs.get(name)).sort()
}

function migrations(objects: readonly KubernetesObject[]): ReadonlyMap<string, string> {
  const jobs = objects.filter(
    ({kind, metadata}) =>
      kind === 'Job' && (metadata.annotations?.[MIGRATION_ANNOTATION] ?? 'false') !== 'false',
  )
  return new Map(jobs.map(({metadata, spec}) => [metadata.name, canonicalJson(spec)]))
}
