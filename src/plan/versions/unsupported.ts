import type {KubernetesObject} from '../../cluster/cluster.ts'
import {imagesOf} from '../changes/images.ts'
import {type OpenStackRelease, openstackRelease, releaseOfImage, releaseText} from './openstack-release.ts'
import {transition} from './transition.ts'

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
