import {expect, it} from 'vitest'
import {containerOf} from './support/container.ts'
import {imageOf} from './support/images.ts'

it('kolla-build renders its Dockerfiles in the builder', async () => {
  const container = await containerOf(imageOf('kolla-builder'))

  const {exitCode, says} = await container.run(
    `set -e
    mkdir /tmp/work
    printf '[DEFAULT]\\nbase = debian\\nnamespace = kk\\nengine = podman\\n' > /tmp/kolla-build.conf
    kolla-build --config-file /tmp/kolla-build.conf --template-only --work-dir /tmp/work '^keystone$'
    find /tmp/work -path '*keystone/keystone/Dockerfile' -exec cat {} +`,
  )

  expect(exitCode, says).toBe(0)
  expect(says).toContain('FROM kk/keystone-base:')
  expect(says).toContain('kolla_keystone_bootstrap')
})

it('the builder has the images of kk, and lists what it lacks', async () => {
  const container = await containerOf(imageOf('kolla-builder'))
  const script = `mkdir -p /etc/kolla-builder && echo '{"registry": ""}' > /etc/kolla-builder/what.json && kolla-builder`

  const refused = await container.run(script)
  const planned = await container.run('kk images build keystone --dry-run')

  expect(refused).toMatchObject({exitCode: 1, says: expect.stringContaining('conf.build.registry is needed')})
  expect(planned.says).toMatch(/base +build: it is not here/)
  expect(planned.exitCode).toBe(0)
})

it('the image kk has the command kubernetes-entrypoint, which charts call', async () => {
  const container = await containerOf(imageOf('kk'))

  const {exitCode, says} = await container.run('kubernetes-entrypoint', {env: {COMMAND: 'echo done'}})

  expect(exitCode, says).toBe(0)
  expect(says.trim()).toBe('done')
})
