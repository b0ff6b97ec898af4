import type {Values} from '../../release.ts'
import {dig} from '../manifests/dig.ts'

const WORKLOAD = /^(?:deployment|daemonset|statefulset|job|cron_?job|pod|cluster)_/

/** The keys in `manifests` that bear the name of a component: `deployment_api` of `api`, `daemonset_compute` of `compute`. */
export function componentSwitches(
  {manifests}: Values,
  component: string,
): readonly {readonly key: string; readonly isOn: boolean}[] {
  if (typeof manifests !== 'object' || manifests === null) return []
  const name = component.replaceAll('-', '_')
  return Object.keys(manifests)
    .filter((key) => key !== name && key.replace(WORKLOAD, '') === name)
    .map((key) => ({key, isOn: dig(manifests, key) === true}))
}
