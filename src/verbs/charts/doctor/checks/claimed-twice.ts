import {objectName} from '../../../../cluster/manifest.ts'
import {releaseName} from '../../../../release.ts'
import type {ChartFault} from '../chart-fault.ts'
import type {ExaminedRelease} from '../examined-release.ts'
import {identity} from '../same-object.ts'

const CLUSTER_WIDE =
  /^(?:ClusterRole|ClusterRoleBinding|CustomResourceDefinition|Namespace|PersistentVolume|(?:Priority|Runtime|Storage|Ingress)Class|(?:Mutating|Validating)WebhookConfiguration)$/

/** Objects that two releases both make: helm refuses the second, or each takes it from the other. */
export function claimedTwice(releases: readonly ExaminedRelease[]): readonly ChartFault[] {
  const claims = releases.flatMap(({release, objects}) =>
    objects.map(({object, file}) => {
      const isWide = CLUSTER_WIDE.test(object.kind)
      const key = isWide ? `${object.kind}/${object.metadata.name}` : identity(object, release)
      return {key, release, object, file}
    }),
  )
  return [...Map.groupBy(claims, ({key}) => key).values()].flatMap((same) => {
    const owners = [...new Set(same.map(({release}) => release))]
    if (owners.length < 2) return []
    const {release, object, file} = same[0]!
    const names = owners.map(releaseName).join(' and ')
    return [
      {
        check: 'claimed twice',
        level: 'problem' as const,
        release,
        object: objectName(object),
        file,
        what: `${objectName(object)} is made by ${names}: ${[...new Set(same.map((each) => each.file))].join(', ')}`,
        advice: 'turn it off in one of them, or give it another name by its values',
      },
    ]
  })
}
