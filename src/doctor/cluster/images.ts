import {asKkError} from '../../base/errors.ts'
import {isLoopback} from '../../base/loopback.ts'
import {mapParallel} from '../../base/parallel.ts'
import type {ContentStore} from '../../images/registry/content.ts'
import {parseReference} from '../../images/registry/reference.ts'
import {sourceRegistries} from '../../images/registry/resolve.ts'
import {imagesOf} from '../../plan/changes/images.ts'
import type {Check, CheckFinding} from '../finding.ts'

/** Finds images of the environment that their registries do not have, as seen from this machine. */
export const imagesCheck: Check = {
  name: 'images',
  needs: 'environment',
  okMessage: 'the registries have every image',
  async run({env, rendered}) {
    const images = [...(await rendered()).values()].flatMap((objects) => [...imagesOf(objects).values()])
    return missingImages([...new Set(images)].sort(), sourceRegistries({env}))
  },
}

/**
 * Returns a finding for each image that its registry does not have, and one for each registry that cannot be
 * read: nodes may reach it, or have its images already.
 */
export async function missingImages(
  images: readonly string[],
  registries: (host: string) => Pick<ContentStore, 'digestOf'>,
): Promise<readonly CheckFinding[]> {
  const byRegistry = [...Map.groupBy(images, (image) => parseReference(image).host)]
  const findings = await mapParallel(byRegistry, async ([host, ofHost]): Promise<readonly CheckFinding[]> => {
    try {
      const missing = await mapParallel(ofHost, async (image) => {
        const {repository, tag, digest} = parseReference(image)
        const resolved = await registries(host).digestOf(repository, (digest ?? tag)!)
        return resolved === undefined ? [image] : []
      })
      return missing.flat().map((image) => ({
        level: 'problem',
        what: `the registry ${host} does not have ${image}`,
        advice: 'push it there, or correct its name in the values',
      }))
    } catch (error) {
      const {message, hint} = asKkError(error)
      const level = isLoopback(host) ? 'info' : 'warning'
      return [{level, what: `not checked: ${message}`, ...(hint !== undefined && {advice: hint})}]
    }
  })
  return findings.flat()
}
