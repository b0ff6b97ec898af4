import {parseManifest} from '../../../cluster/manifest.ts'
import {redactSecretsOf} from '../../../cluster/redact-secrets.ts'
import {testHooks} from '../../../cluster/test-hooks.ts'
import {redactor} from '../../../helm/redact/redact.ts'
import {releaseName, releaseNamespace} from '../../../release.ts'
import type {Execution} from '../execution.ts'
import {underLease} from '../leases/under-lease.ts'
import {underOperation} from '../leases/under-operation.ts'
import {expectRevision} from '../races.ts'
import {underHelm} from '../under-helm.ts'
import {expectInstalled} from './pass-gate.ts'

/**
 * Runs the tests of a release under its Lease, for helm writes their results into the record as it was when it began: an
 * upgrade meanwhile would be undone in the records. Throws `KK_HELM_FAILED` with the pod that failed and its last log
 * lines, `KK_RACED`, `KK_PENDING`, `KK_UNHEALTHY` for a revision that is not deployed, `KK_HELD`.
 */
export function test(execution: Execution): Promise<{readonly revision: number}> {
  const {action, cluster, helm, controls, deadline, clock} = execution
  const {release, revision} = action
  return underLease(execution, async (lease) => {
    const stored = await cluster.stored(release)
    expectRevision(release, stored, revision)
    expectInstalled(release, stored)

    const {values} = stored
    const objects = testHooks(stored)
    const redact = redactSecretsOf(parseManifest(stored.manifest), redactor(values))
    const timeoutSeconds = Math.max(1, Math.ceil((deadline - clock.now()) / 1000))
    const call = {name: releaseName(release), namespace: releaseNamespace(release), values}
    controls.onProgress('helm', 'helm test')
    await underOperation(execution, lease, (started) =>
      underHelm({execution: {...execution, redact}, work: {objects, timeoutSeconds}, lease}, (signal) =>
        helm.test(call, {timeoutSeconds, signal, ...started}),
      ),
    )
    expectRevision(release, await cluster.lastRecord(release), revision)
    return {revision}
  })
}
