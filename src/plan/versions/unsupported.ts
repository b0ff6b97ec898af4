import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {imagesOf} from '../changes/images.ts'
import {type OpenStackRelease, openstackRelease, releaseOfImage, releaseText} from './openstack-release.ts'

/** The versions of a release: the appVersion, and the objects with their images. */
export interface Versioned {
  readonly appVersion: string
  /** The objects, hooks included. */
  readonly objects: readonly KubernetesObject[]
}

/**
 * Returns the unsupported steps from one state of a release to another, a line each. It compares the
 * appVersion and the tag of each container's image, if both sides name a release of OpenStack.
 */
export function unsupported(before: Versioned, after: Versioned): readonly string[] {
  const images = imagesOf(before.objects)
  const pairs = [
    {what: 'appVersion', from: openstackRelease(before.appVersion), to: openstackRelease(after.appVersion)},
    ...[...imagesOf(after.objects)].map(([container, image]) => ({
      what: 'image',
      from: releaseOfImage(images.get(container) ?? ''),
      to: releaseOfImage(image),
    })),
  ]
  return [...new Set(pairs.flatMap(({what, from, to}) => (from && to ? judge(what, from, to) : [])))]
}

function judge(what: string, from: OpenStackRelease, to: OpenStackRelease): readonly string[] {
  const label = `${what} ${releaseText(from)} → ${releaseText(to)}`
  const step = transition(from, to)
  switch (step.kind) {
    case 'same':
    case 'supported':
      return []
    case 'downgrade':
      return [`${label} is a downgrade: restore a backup instead, or stay`]
    case 'skip':
      return [`${label} skips releases: go through ${step.through.map(releaseText).join(', then ')}`]
  }
}

/** The step from one release of OpenStack to another; `through` are the releases that must not be skipped. */
export type Transition =
  | {readonly kind: 'same' | 'supported' | 'downgrade'}
  | {readonly kind: 'skip'; readonly through: readonly OpenStackRelease[]}

/**
 * Returns how one release follows another. Sequential upgrades are always supported; from one SLURP release
 * ("skip level upgrade release process") directly to the next one, too. SLURP releases are the first releases
 * of each year from 2023.1. Source:
 * https://governance.openstack.org/tc/resolutions/20220210-release-cadence-adjustment.html
 */
export function transition(from: OpenStackRelease, to: OpenStackRelease): Transition {
  const distance = number(to) - number(from)
  if (distance === 0) return {kind: 'same'}
  if (distance < 0) return {kind: 'downgrade'}
  const through = stops(from, to)
  return through.length === 0 ? {kind: 'supported'} : {kind: 'skip', through}
}

const FIRST_SLURP = number({year: 2023, half: 1})

/** Returns the releases at which to stop on the shortest supported path. */
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

/** Returns a consecutive number, even for the first release of a year. */
function number({year, half}: OpenStackRelease): number {
  return year * 2 + half - 1
}
