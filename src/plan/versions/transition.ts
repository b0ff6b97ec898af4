import type {OpenStackRelease} from './openstack-release.ts'

/** How one release of OpenStack follows another; `through` are those that a skip leaves out and must not. */
export type Transition =
  | {readonly kind: 'same' | 'supported' | 'downgrade'}
  | {readonly kind: 'skip'; readonly through: readonly OpenStackRelease[]}

/**
 * Sequential upgrades are supported always; from one SLURP release ("skip level upgrade release process") directly to
 * the next one, too. Those are the first releases of each year, beginning with 2023.1.
 * Source: https://governance.openstack.org/tc/resolutions/20220210-release-cadence-adjustment.html
 */
export function transition(from: OpenStackRelease, to: OpenStackRelease): Transition {
  const distance = number(to) - number(from)
  if (distance === 0) return {kind: 'same'}
  if (distance < 0) return {kind: 'downgrade'}
  const through = stops(from, to)
  return through.length === 0 ? {kind: 'supported'} : {kind: 'skip', through}
}

const FIRST_SLURP = number({year: 2023, half: 1})

/** The releases at which to stop on the shortest way that is supported. */
function stops(from: OpenStackRelease, to: OpenStackRelease): readonly OpenStackRelease[] {
  const result: OpenStackRelease[] = []
  const end = number(to)
  let at = number(from)
  while (at < end) {
    const isSlurp = at >= FIRST_SLURP && at % 2 === 0
    at += isSlurp && at + 2 <= end ? 2 : 1
    if (at < end) result.push({year: Math.floor(at / 2), half: at % 2 === 0 ? 1 : 2})
  }
  return result
}

/** Consecutive; even for the first release of a year. */
function number({year, half}: OpenStackRelease): number {
  return year * 2 + half - 1
}
