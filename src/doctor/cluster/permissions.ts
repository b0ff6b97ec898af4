import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import {apiGroup} from '../../kubernetes/manifest/manifest.ts'
import type {Access} from '../../kubernetes/permissions/access.ts'
import type {Need} from '../../kubernetes/permissions/need.ts'
import {NEEDS} from '../../kubernetes/permissions/needs.ts'
import {RENDERED_VERBS} from '../../kubernetes/permissions/rendered.ts'
import {releaseNamespace} from '../../release.ts'
import type {Examination} from '../facts.ts'
import type {Check, CheckFinding} from '../finding.ts'

/** One access that verbs of kk need. */
interface NeededAccess extends Pick<Need, 'why' | 'without'> {
  readonly access: Access
  /** The verbs of kk. */
  readonly by: readonly string[]
}

/** Finds the permissions that the verbs of kk need and this user does not have. */
export const permissionsCheck: Check = {
  name: 'permissions',
  okMessage: 'you have all permissions that kk needs',
  async run(facts) {
    const {cluster, prepared, kubectl} = facts
    const namespaces = [...new Set((prepared?.graph.releases ?? []).map(releaseNamespace))]
    const needed = [...neededAccesses(namespaces), ...(await renderedAccesses(facts))]
    const allowed = await cluster.diagnosis.may(needed.map(({access}) => access))
    const denied = needed.filter((_, index) => !allowed[index])
    if (denied.length === 0) return []
    return judgeDenied(denied, {kubectl, user: await cluster.diagnosis.user()})
  },
}

/**
 * Returns each access that verbs need, without duplicates; accesses in namespaces of releases only if these
 * are known.
 */
function neededAccesses(namespaces: readonly string[]): readonly NeededAccess[] {
  // The operator has its own ServiceAccount, and its CRDs need not exist.
  const verbs = Object.entries(NEEDS).filter(([verb]) => !verb.startsWith('operator '))
  const needed = verbs.flatMap(([by, needs]) =>
    needs.flatMap((need) =>
      placesOf(need, namespaces).flatMap((namespace) =>
        need.verbs.map((verb): NeededAccess => {
          const {group, resource, why, without} = need
          const name = accessedName(need, namespace)
          const access = {group, resource, verb, namespace, ...(name !== undefined && {name})}
          return {access, why, by: [by], ...(without !== undefined && {without})}
        }),
      ),
    ),
  )
  const groups = Map.groupBy(needed, ({access, without}) => JSON.stringify([access, without]))
  return [...groups.values()].map((same) => ({...same[0]!, by: [...new Set(same.flatMap(({by}) => by))]}))
}

function placesOf({where}: Need, namespaces: readonly string[]): readonly string[] {
  if (where === 'release') return namespaces
  return [where === 'cluster' ? '' : KK_NAMESPACE]
}

/**
 * Returns the name of the accessed object; for a namespace its name, so that a permission for only that is
 * sufficient.
 */
function accessedName({resource, where, names}: Need, namespace: string): string | undefined {
  return resource === 'namespaces' && where === 'release' ? namespace : names?.[0]
}

/** Returns the accesses that helm needs for the objects that the charts of the environment render. */
async function renderedAccesses({rendered, cluster}: Examination): Promise<readonly NeededAccess[]> {
  const needed = new Map<string, NeededAccess>()
  for (const [release, objects] of await rendered()) {
    for (const {apiVersion, kind, metadata} of objects) {
      const served = await cluster.diagnosis.served(apiVersion, kind)
      if (!served) continue
      const namespace = served.namespaced ? (metadata.namespace ?? releaseNamespace(release)) : ''
      const group = apiGroup(apiVersion)
      for (const verb of RENDERED_VERBS) {
        const access = {group, resource: served.plural, verb, namespace}
        const why = `to install what the charts render (${kind})`
        needed.set(JSON.stringify(access), {access, why, by: ['deploy', 'remove']})
      }
    }
  }
  return [...needed.values()]
}

interface Grant {
  readonly kubectl: string
  /** The user to grant it to. */
  readonly user: string
}

/**
 * Returns one finding for each kind of object and place. Missing access for status and plan is a problem,
 * because kk can do nothing without it; access for other verbs may be denied on purpose.
 */
function judgeDenied(denied: readonly NeededAccess[], grant: Grant): readonly CheckFinding[] {
  const groups = Map.groupBy(denied, ({access: {verb: _, ...object}, by, without}) =>
    JSON.stringify([object, by, without]),
  )
  return [...groups.values()].map((same): CheckFinding => {
    const {access, why, by, without} = same[0]!
    const verbs = same.map((each) => each.access.verb)
    const stops = by.map((verb) => `kk ${verb}`).join(', ')
    const end = without === undefined ? `without it there is no ${stops}` : `without it (${stops}) ${without}`
    const isBlind = by.includes('status') || by.includes('plan')
    const level = without !== undefined ? 'info' : isBlind ? 'problem' : 'warning'
    const what = `you may not ${verbs.join(', ')} ${access.resource} ${placeText(access)}, ${why}; ${end}`
    return {level, what, advice: grantText(access, verbs, grant)}
  })
}

function placeText({namespace, name}: Access): string {
  const object = name === undefined ? '' : `called ${name} `
  return object + (namespace === '' ? 'on the whole cluster' : `in namespace ${namespace}`)
}

/** Returns the commands with which an administrator creates the role and its binding. */
function grantText(
  {group, resource, namespace, name}: Access,
  verbs: readonly string[],
  {kubectl, user}: Grant,
): string {
  const [plural = '', subresource] = resource.split('/')
  const full = [plural, ...(group === '' ? [] : [`.${group}`]), ...(subresource ? [`/${subresource}`] : [])]
  const role = ['kk', ...verbs, resource.replace('/', '-')].join('-')
  const [kind, place] = namespace === '' ? ['clusterrole', ''] : ['role', ` --namespace ${namespace}`]
  const only = name === undefined ? '' : ` --resource-name=${name}`
  return [
    `${kubectl} create ${kind} ${role}${place} --verb=${verbs.join(',')} --resource=${full.join('')}${only}`,
    `${kubectl} create ${kind}binding ${role}${place} --${kind}=${role} --user=${user}`,
  ].join(' && ')
}
