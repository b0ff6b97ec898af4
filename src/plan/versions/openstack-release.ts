/** A release of OpenStack, such as `2025.1`. There are two a year. */
export interface OpenStackRelease {
  readonly year: number
  readonly half: 1 | 2
}

/**
 * The code names in tags of images, without `rocky` (also a distribution) and older ones:
 * https://releases.openstack.org/
 */
const CODE_NAMES: Readonly<Record<string, string>> = {
  wallaby: '2021.1',
  xena: '2021.2',
  yoga: '2022.1',
  zed: '2022.2',
  antelope: '2023.1',
  bobcat: '2023.2',
  caracal: '2024.1',
  dalmatian: '2024.2',
  epoxy: '2025.1',
  flamingo: '2025.2',
  gazpacho: '2026.1',
}

/**
 * Returns the release of a version or an image's tag: `2025.1-ubuntu-noble`, `caracal`; undefined for others.
 */
export function openstackRelease(text: string): OpenStackRelease | undefined {
  for (const word of text.toLowerCase().split(/[-_+/\s]/)) {
    const number = CODE_NAMES[word] ?? word
    const version = /^v?(?<year>20[2-9]\d)\.(?<half>[12])(\.\d+)*$/.exec(number)?.groups
    if (version) return {year: Number(version.year), half: version.half === '1' ? 1 : 2}
  }
  return undefined
}

/** Returns the release that the tag of an image reference names. A digest names no release. */
export function releaseOfImage(reference: string): OpenStackRelease | undefined {
  const tag = /:(?<tag>[^/:@]+)(@.*)?$/.exec(reference.replace(/@.*$/, ''))?.groups?.tag
  return tag === undefined ? undefined : openstackRelease(tag)
}

/** Returns true if both are known and differ. */
export function isOtherRelease(
  one: OpenStackRelease | undefined,
  other: OpenStackRelease | undefined,
): boolean {
  return one !== undefined && other !== undefined && releaseText(one) !== releaseText(other)
}

/** Formats a release as a string, such as `2025.1`. */
export function releaseText({year, half}: OpenStackRelease): string {
  return `${year}.${half}`
}
