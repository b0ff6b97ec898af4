import {hookEvents, isHook} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {Manifests} from './action-forecast.ts'
import {templateText} from './template.ts'

/** Returns the Jobs that an action runs: those that differ, and hooks of it, which helm runs each time. */
export function changedJobs(
  {before, after}: Manifests,
  kind: 'install' | 'upgrade',
): readonly KubernetesObject[] {
  const keyOf = (job: KubernetesObject) => `${job.metadata.name} ${templateText(job)}`
  const earlier = new Set(before.filter(isJob).map(keyOf))
  const events: readonly string[] = [`pre-${kind}`, `post-${kind}`]
  return after
    .filter(isJob)
    .filter((job) =>
      isHook(job) ? hookEvents(job).some((event) => events.includes(event)) : !earlier.has(keyOf(job)),
    )
}

function isJob({kind}: KubernetesObject): boolean {
  return kind === 'Job'
}
