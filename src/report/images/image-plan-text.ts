import type {SurveyedImage} from '../../images/inventory/survey.ts'
import {table} from '../table.ts'

/** What a build would do, one line per image. */
export function imagePlanText(images: readonly SurveyedImage[], refresh: boolean): string {
  const rows = images.map(({image, state}) => {
    if (refresh) return [image.name, 'build: asked to refresh']
    if (state === 'current') return [image.name, 'unchanged']
    return [image.name, state === 'absent' ? 'build: it is not here' : 'build: its inputs changed']
  })
  return table(rows).join('\n')
}
