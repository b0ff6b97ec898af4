import type {Values} from '../../../release.ts'
import {given} from './compose.ts'

/** Pods of one component go to different failure domains where there are some, not only to different nodes. */
export function spread({
  zones,
  allInOne,
}: {
  readonly zones?: readonly string[]
  readonly allInOne?: boolean
}): Values | undefined {
  return given(zones, ({length}) => {
    if (length < 2 || allInOne) return undefined
    return {pod: {affinity: {anti: {topologyKey: {default: 'topology.kubernetes.io/zone'}}}}}
  })
}
