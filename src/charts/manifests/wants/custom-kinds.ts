import {isBuiltIn} from '../../../cluster/built-in-kind.ts'
import type {StatedWant, Waiting} from './stated-want.ts'

/** A kind that the API server has not of itself: the definition must be there first. */
export function customKindWants({object}: Waiting): readonly StatedWant[] {
  const {apiVersion, kind} = object
  if (isBuiltIn(apiVersion)) return []
  const group = apiVersion.split('/')[0]!
  return [{kind: 'applied', target: {what: 'kind', group, kind}, text: `is a ${kind}.${group}`}]
}
