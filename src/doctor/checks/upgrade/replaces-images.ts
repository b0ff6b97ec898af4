import {imageChanges} from '../../../plan/changes/images.ts'
import type {Change} from '../change.ts'

/** Whether a change replaces an image of a deployed release. */
export function replacesImages({next}: Pick<Change, 'next'>): boolean {
  return [...next.values()].some(({before, objects}) => {
    const after = objects.map(({object}) => object)
    return imageChanges(before, after).some(({from}) => from !== undefined)
  })
}
