import {type Dump, dumpBetween, migrationsBetween} from '../../plan/changes/migrations.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {Change, CheckResult} from './change.ts'

interface Migration {
  readonly release: ReleaseId
  readonly dump: Dump | undefined
}

/**
 * Returns a note on the dumps that are taken before the first migrations of upgrades, and one on migrations
 * without a dump, after which there is no way back. Refuses a claim for dumps that does not exist: the
 * migrations would wait for it.
 */
export async function migrationDumps(change: Change): Promise<readonly CheckResult[]> {
  const migrating = [...change.next].flatMap(([release, {objects, before, hooksBefore}]): Migration[] => {
    const [next, deployed] = [objects.map(({object}) => object), [...before, ...hooksBefore]]
    const names = new Set(next.map(({metadata}) => metadata.name))
    const migrations = migrationsBetween(next, deployed).filter((name) => names.has(name))
    if (before.length === 0 || migrations.length === 0) return []
    return [{release, dump: dumpBetween(next, deployed)}]
  })
  const bare = migrating.filter(({dump}) => dump === undefined)
  const byClaim = Map.groupBy(
    migrating.filter(({dump}) => dump !== undefined),
    ({dump}) => dump!.claim,
  )
  const taken = [...byClaim].map(([claim, releases]) => ({
    what: `before the first migration of ${namesOf(releases)} the databases are dumped to the claim ${claim}, and kk rollback names the dumps`,
  }))
  const noWay = {
    what: `there is no way back past the first migration of ${namesOf(bare)}: no dump is taken`,
    advice: 'state a claim for dumps with global.dumps.claim, or take a backup of the databases first',
  }
  return [...taken, ...(bare.length > 0 ? [noWay] : []), ...(await missingClaims(change, [...byClaim]))]
}

async function missingClaims(
  {next, cluster, given}: Change,
  byClaim: readonly (readonly [string, readonly Migration[]])[],
): Promise<readonly CheckResult[]> {
  const made = [...next].flatMap(([release, {objects}]) =>
    objects
      .filter(({object}) => object.kind === 'PersistentVolumeClaim')
      .map(({object}) => `${object.metadata.namespace ?? releaseNamespace(release)}/${object.metadata.name}`),
  )
  const results: CheckResult[] = []
  for (const [claim, releases] of byClaim) {
    for (const namespace of new Set(releases.map(({release}) => releaseNamespace(release)))) {
      if (made.includes(`${namespace}/${claim}`) || given.includes(`PersistentVolumeClaim/${claim}`)) continue
      const object = {apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: claim, namespace}}
      if ((await cluster.live.present(namespace, [object])).length > 0) continue
      results.push({
        what: `the claim for dumps of ${namesOf(releases)} does not exist: ${namespace}/PersistentVolumeClaim/${claim}`,
        advice: 'create it, or state global.dumps.size, and the release of MariaDB makes it',
        refusal: 'KK_UNSERVED',
      })
    }
  }
  return results
}

function namesOf(migrations: readonly Migration[]): string {
  return migrations.map(({release}) => releaseName(release)).join(', ')
}
