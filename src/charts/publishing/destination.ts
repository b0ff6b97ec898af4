import {KkError} from '../../base/errors.ts'
import type {PackedChart} from './pack-chart.ts'

/**
 * What a destination has of the version of a package: nothing yet, the same, the same without the provenance that the package
 * has here, or another.
 */
export type PublishedState = 'new' | 'there' | 'unsigned' | 'other'

/** Where packages are published. */
export interface Destination {
  /** For people. */
  readonly name: string
  stateOf(packed: PackedChart): Promise<PublishedState>
  /** Adds what is new, and what signs it. Rejects with `KK_PUBLISHED` where somebody else was faster, with other content. */
  add(packed: readonly PackedChart[]): Promise<void>
}

/** Versions that are there with other content. */
export function published(packed: readonly PackedChart[], destination: string): KkError {
  const names = packed.map(({name, version}) => `${name} ${version}`).join(', ')
  return new KkError('KK_PUBLISHED', `${destination} has ${names} already, with other content`, {
    hint: 'raise the version in Chart.yaml, or give another one by --version',
  })
}
