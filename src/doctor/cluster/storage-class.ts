import type {SeenStorageClass} from '../../kubernetes/diagnosis/diagnosis.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import type {Check, CheckFinding} from '../finding.ts'

/**
 * Checks that there is one default storage class, for claims without a class, and that the classes of other
 * claims exist.
 */
export const storageClassCheck: Check = {
  name: 'storage-class',
  okMessage: 'there is one default storage class',
  async run({cluster, kubectl, rendered}) {
    const [classes, objects] = await Promise.all([cluster.diagnosis.storageClasses(), rendered()])
    return [
      ...judgeStorageClasses(classes, classless(objects), kubectl),
      ...judgeNamedClasses(classes, objects),
    ]
  },
}

/** Returns the releases with claims without a class. */
export function classless(
  rendered: ReadonlyMap<ReleaseId, readonly KubernetesObject[]>,
): readonly ReleaseId[] {
  return [...rendered].filter(([, objects]) => objects.some(hasClasslessClaim)).map(([release]) => release)
}

interface ClaimSpec {
  readonly storageClassName?: string | null
}

/** Returns true if an object has a claim without a class; `storageClassName: ""` counts as a class. */
function hasClasslessClaim(object: KubernetesObject): boolean {
  return claimSpecs(object).some((claim) => (claim?.storageClassName ?? undefined) === undefined)
}

function claimSpecs({kind, spec}: KubernetesObject): readonly (ClaimSpec | undefined)[] {
  if (kind === 'PersistentVolumeClaim') return [spec as ClaimSpec]
  if (kind !== 'StatefulSet') return []
  const {volumeClaimTemplates = []} = spec as {readonly volumeClaimTemplates?: readonly {spec?: ClaimSpec}[]}
  return volumeClaimTemplates.map((template) => template.spec)
}

/**
 * Returns the classes of claims that neither the cluster nor charts have; a manually created volume may have
 * them, too.
 */
export function judgeNamedClasses(
  classes: readonly SeenStorageClass[],
  rendered: ReadonlyMap<ReleaseId, readonly KubernetesObject[]>,
): readonly CheckFinding[] {
  const brought = [...rendered.values()].flat().filter(({kind}) => kind === 'StorageClass')
  const existing = new Set([...classes.map(({name}) => name), ...brought.map(({metadata}) => metadata.name)])
  const missing = [...rendered].flatMap(([release, objects]) => {
    const named = objects.flatMap(claimSpecs).flatMap((claim) => claim?.storageClassName || [])
    return [...new Set(named)].filter((name) => !existing.has(name)).map((name) => ({name, release}))
  })
  return [...Map.groupBy(missing, ({name}) => name)].map(([name, users]) => {
    const who = users.map(({release}) => releaseName(release)).join(', ')
    const available =
      classes.length === 0 ? 'there are none' : `existing: ${classes.map((each) => each.name).join(', ')}`
    const what = `claims of ${who} name the storage class ${name}, which does not exist (${available}): their pods would wait for a manually created volume of it`
    return {level: 'warning', what, advice: `use another class in the values of ${who}, or create ${name}`}
  })
}

export function judgeStorageClasses(
  classes: readonly SeenStorageClass[],
  users: readonly ReleaseId[],
  kubectl: string,
): readonly CheckFinding[] {
  const defaults = classes.filter(({isDefault}) => isDefault).map(({name}) => name)
  if (defaults.length === 1) return []
  const mark = (name: string, value: boolean) =>
    `${kubectl} annotate storageclass ${name} --overwrite storageclass.kubernetes.io/is-default-class=${value}`
  if (defaults.length > 1) {
    const [newest, ...older] = defaults
    const what = `${defaults.length} storage classes are the default (${defaults.join(', ')}): claims without a class get the newest, ${newest}`
    return [{level: 'warning', what, advice: mark(older.join(' '), false)}]
  }
  const [first] = classes
  const advice =
    first === undefined ? 'install a volume provisioner with a storage class' : mark(first.name, true)
  if (users.length === 0) return [{level: 'info', what: 'no storage class is the default', advice}]
  const what = `no storage class is the default, but claims of ${users.map(releaseName).join(', ')} have no class: their pods would stay pending`
  return [{level: 'problem', what, advice}]
}
