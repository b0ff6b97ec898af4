import {expect, it} from 'vitest'
import {sha256} from '../../src/images/registry/content.ts'
import type {EnvironmentObject} from '../../src/operator/crds/environment.ts'
import {readSource} from '../../src/operator/source.ts'
import {serveArtifact} from '../support/artifact.ts'

const FILE = 'kk: {namespace: openstack}\n'

/** What an Environment holds whose file is this artifact: nothing of the cluster is asked for. */
async function artifactText(oci: string): Promise<string> {
  const {file} = await readSource({spec: {source: {oci}}} as EnvironmentObject, {read: async () => undefined})
  return file
}

it('an artifact of one file is read', async () => {
  expect(await artifactText(await serveArtifact([FILE]))).toBe(FILE)
})

it.each([
  [
    'that the registry does not have',
    async () => (await serveArtifact([FILE])).replace(/sha256:.*/, sha256('other')),
    'does not have',
  ],
  ['of several files', () => serveArtifact([FILE, 'b']), 'has 2 files instead of one'],
  ['without any', () => serveArtifact([]), 'has 0 files instead of one'],
  [
    'whose file has other bytes than it says',
    () => serveArtifact(['kk: {namespace: openstock}\n'], [FILE]),
    `for ${sha256(FILE)}`,
  ],
  [
    'that is no environment file by its size',
    () => serveArtifact(['a'.repeat(1_048_577)]),
    'has 1048577 bytes',
  ],
] as const)('an artifact %s is refused', async (_, artifact, message) => {
  const reference = await artifact()

  await expect(artifactText(reference)).rejects.toMatchObject({
    code: 'KK_IMAGE',
    message: expect.stringContaining(message),
  })
})
