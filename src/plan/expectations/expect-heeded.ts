import {KkError} from '../../errors.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import type {DesiredRelease} from '../desired.ts'
import type {PlanMode} from '../scope.ts'

interface Given {
  readonly desired: ReadonlyMap<ReleaseId, DesiredRelease>
  readonly mode: PlanMode
  /** The releases that the plan is about, and whether it may change them. */
  readonly meant: ReadonlyMap<ReleaseId, 'change' | 'use'>
}

/** Throws `KK_USAGE` when `--values` or `--set` is for a release that is not to be changed: it would do nothing, unsaid. */
export function expectHeeded({desired, mode, meant}: Given): void {
  const given = [...desired.values()].filter(({layers}) =>
    layers.some(({name}) => name === 'values' || name === 'set'),
  )
  const unheeded = given.filter(({release}) => meant.get(release) !== 'change').map(({release}) => release)
  if (unheeded.length === 0) return
  const names = unheeded.map(releaseName).join(', ')
  const isOne = unheeded.length === 1
  if (mode.kind !== 'named') {
    throw new KkError(
      'KK_USAGE',
      `--values or --set is for ${names}, which ${isOne ? 'is' : 'are'} not installed`,
      {hint: `leave it out, or install ${isOne ? 'it' : 'them'} with: kk deploy`},
    )
  }
  const named = mode.releases.map(releaseName)
  throw new KkError(
    'KK_USAGE',
    `--values or --set is for ${names}, but only ${named.join(', ')} may be changed`,
    {
      hint: `name ${isOne ? 'it' : 'them'}, too (${[...named, ...unheeded.map(releaseName)].join(' ')}), or leave out what is for ${names}`,
    },
  )
}
