import type {KubernetesObject, StoredRelease} from './cluster.ts'
import {parseManifest} from './manifest.ts'

/** Helm reads the older name as the same (Helm 4.2: release/v1/util/manifest_sorter.go). */
const TESTS = ['test', 'test-success']

/** The hooks that `helm test` runs. */
export function testHooks({hooks}: Pick<StoredRelease, 'hooks'>): readonly KubernetesObject[] {
  return hooks.flatMap(parseManifest).filter(({metadata}) => {
    const events = metadata.annotations?.['helm.sh/hook'] ?? ''
    return events.split(',').some((event) => TESTS.includes(event.trim().toLowerCase()))
  })
}
