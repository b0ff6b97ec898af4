import type {Image} from '../image.ts'

/** https://specs.opencontainers.org/image-spec/annotations/ */
const OCI = 'org.opencontainers.image'

/** As arguments of `buildah config`: where the image comes from, and what decided it. */
export function labels(
  {title, source, parents}: Image,
  {version, inputs}: {readonly version: string; readonly inputs: string},
): readonly string[] {
  const all = {
    [`${OCI}.title`]: title,
    [`${OCI}.version`]: version,
    // Labels are inherited: what has none of its own takes its parent's away.
    [`${OCI}.source`]: source ?? '',
    ...(parents[0] && {[`${OCI}.base.name`]: parents[0]}),
    'kk.openstack.org/inputs': inputs,
  }
  return Object.entries(all).flatMap(([name, value]) => ['--label', `${name}=${value}`])
}
