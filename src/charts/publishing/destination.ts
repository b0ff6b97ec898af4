import {KkError} from '../../base/errors.ts'
import type {PackedChart} from './pack-chart.ts'

/**
 * The state of the version of a package at a destination: missing, the same, the same without the provenance
 * that the package has here, or different.
 */
export type PublishedState = 'new' | 'there' | 'unsigned' | 'other'

/** A destination for packages. */
export interface Destination {
  /** For people. */
  readonly name: string
  stateOf(packed: PackedChart): Promise<PublishedState>
  /**
   * Adds new packages and provenance. Rejects with `KK_PUBLISHED` if other content was published in the
   * meantime.
   */
  add(packed: readonly PackedChart[]): Promise<void>
}

/** Returns `KK_PUBLISHED` for versions that exist with other content. */
export function published(packed: readonly PackedChart[], destination: string): KkError {
  const names = packed.map(({name, version}) => `${name} ${version}`).join(', ')
  return new KkError('KK_PUBLISHED', `${destination} has ${names} already, with other content`, {
    hint: 'raise the version in Chart.yaml, or give another one by --version',
  })
}
