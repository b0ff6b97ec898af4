import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it, onTestFinished} from 'vitest'
import {bringImages} from '../../../scripts/cloud/images.ts'
import {fakeBuildah} from '../../images/support/fake-buildah.ts'

it('images of both releases are pulled from the registry in KK_IMAGES, and none is built', async () => {
  const directory = await fakeBuildah((own) => `echo "$@" >>${own}/calls`)
  process.env['KK_IMAGES'] = 'registry.example.org/kk'
  onTestFinished(() => {
    delete process.env['KK_IMAGES']
  })

  await bringImages({
    kk: '/nowhere/kk',
    names: ['keystone', 'keystone-2026.1'],
    stdio: ['ignore', 'pipe', 'pipe'],
  })

  const calls = (await readFile(join(directory, 'calls'), 'utf8')).trim().split('\n')
  expect(calls).toEqual(
    ['2025.1', '2026.1'].flatMap((release) => {
      const image = `kk/keystone:${release}-debian-trixie`
      return [
        `pull --quiet docker://registry.example.org/${image}`,
        `push --quiet --tls-verify=false registry.example.org/${image} docker://localhost:5010/${image}`,
      ]
    }),
  )
})
