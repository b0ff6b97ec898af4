import type {ImageEvent} from '../../images/building/build-images.ts'
import {durationText} from '../text/duration.ts'

const LONGEST_STEP = 100

/** One line per event of a build. */
export function imageEventText(event: ImageEvent): string {
  switch (event.type) {
    case 'image-started':
      return `${event.name}: building`
    case 'image-step':
      return `${event.name}: ${event.step.replaceAll(/\s+/g, ' ').slice(0, LONGEST_STEP)}`
    case 'image-built':
      return `${event.name}: built in ${durationText(event.seconds)}`
    case 'image-unchanged':
      return `${event.name}: unchanged`
    case 'image-pushed':
      return `${event.name}: pushed as ${event.digest}`
    case 'image-present':
      return `${event.name}: the registry has it already`
    case 'image-skipped':
      return `${event.name}: skipped, for ${event.because} is not there`
    case 'image-failed':
      return `${event.name}: failed: ${event.error.message}`
  }
}
