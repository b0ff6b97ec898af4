/** A service of the measured cloud. */
export interface Service {
  readonly name: string
  readonly requires: readonly string[]
  /** The compressed size of its image without the layers of those before it. */
  readonly megabytes: number
  /** From its image to its readiness. */
  readonly startSeconds: number
}

/**
 * As long as the path of the all-in-one cloud: about the size of its images, and its starts on an idle
 * machine.
 */
export const CLOUD: readonly Service[] = [
  {name: 'database', requires: [], megabytes: 60, startSeconds: 20},
  {name: 'bus', requires: [], megabytes: 60, startSeconds: 15},
  {name: 'identity', requires: ['database', 'bus'], megabytes: 120, startSeconds: 20},
  {name: 'image', requires: ['identity'], megabytes: 140, startSeconds: 10},
  {name: 'dashboard', requires: ['identity'], megabytes: 120, startSeconds: 10},
]

/** The environment file, with the images of a registry. */
export function environment(
  name: string,
  {charts, registry}: {readonly charts: string; readonly registry: string},
): object {
  return {
    kk: {
      name,
      namespace: name,
      charts: [charts],
      infer: false,
      releases: Object.fromEntries(
        CLOUD.map(({name: release, requires}) => [release, {chart: 'service', requires}]),
      ),
    },
    ...Object.fromEntries(
      CLOUD.map(({name: release, startSeconds}) => [
        release,
        {image: `${registry}/${imageName(name, release)}`, start: startSeconds},
      ]),
    ),
  }
}

export function imageName(cloud: string, service: string): string {
  return `${cloud}/${service}:1`
}
