import type {KubernetesObject} from '../../cluster/cluster.ts'
import {imagesOf} from '../changes/images.ts'
import {type OpenStackRelease, openstackRelease, releaseOfImage, releaseText} from './openstack-release.ts'

/** A release as far as its versions are concerned. */
export interface Versioned {
  readonly appVersion: string
  /** Hooks included. */
  readonly objects: readonly KubernetesObject[]
}

/**
 * What is not supported in the way from one state of a release to another, for people; empty when all is. Judged are the
 * appVersion and the tag of each container's image; where either side names no release of OpenStack, nothing is said.
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
  const way = `${what} ${releaseText(from)} → ${releaseText(to)}`
  const found = transition(from, to)
  switch (found.kind) {
    case 'same':
    case 'supported':
      return []
    case 'downgrade':
      return [`${way} is a downgrade: restore a backup instead, or stay`]
    case 'skip':
      return [`${way} leaves out releases: go through ${found.through.map(releaseText).join(', then ')}`]
  }
}

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
