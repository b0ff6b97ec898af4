import type {Cluster, KubernetesObject} from '../cluster/cluster.ts'
import {renderedObjects} from '../cluster/records/rendered-objects.ts'
import {type Redact, redactSecretsOf} from '../cluster/redact-secrets.ts'
import type {Helm} from '../helm/helm.ts'
import {redactor} from '../helm/redact.ts'
import type {Plan} from '../plan/plan.ts'
import type {ReleaseId} from '../release.ts'
import type {Prepared} from './preparation/prepare.ts'
import {helmActions, renderAll} from './preparation/render.ts'
import {vendor} from './preparation/vendored.ts'

/** What a plan would change in the manifests of its releases. */
export interface PlanDiff {
  readonly diffs: readonly {
    readonly release: ReleaseId
    /** Undefined when the release is not installed. */
    readonly before: readonly KubernetesObject[] | undefined
    readonly after: readonly KubernetesObject[]
  }[]
  /** Takes the secret values of the releases, those that are deployed and those that would be, out of a text. */
  readonly redact: Redact
}

/** Renders what would be installed or upgraded, beside what the records say is deployed. */
export async function planDiff(
  prepared: Prepared,
  plan: Plan,
  ports: {readonly cluster: Cluster; readonly helm: Helm},
): Promise<PlanDiff> {
  const actions = helmActions(plan)
  const vendored = await vendor(
    prepared,
    actions.map(({release}) => release),
  )
  try {
    const rendered = await renderAll(plan, ports.helm, vendored)
    const diffs = await Promise.all(
      actions.map(async ({release, kind}) => {
        const stored = kind === 'upgrade' ? await ports.cluster.stored(release) : undefined
        const before = stored && renderedObjects(stored)
        const after = rendered.get(release)!
        const values = redactor({before: stored?.values ?? {}, after: vendored.call(release).values})
        return {release, before, after, redact: redactSecretsOf([...(before ?? []), ...after], values)}
      }),
    )
    return {diffs, redact: (text) => diffs.reduce((cleaned, {redact}) => redact(cleaned), text)}
  } finally {
    await vendored.remove()
  }
}
