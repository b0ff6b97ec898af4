import {describe, expect, it} from 'vitest'
import {CONFIG, type Container, containerOf} from './support/container.ts'
import {IMAGES, imageOf} from './support/images.ts'

/** A user of every image, whose files its own user could not make. */
const OWNER = 'kolla'

function file(name: string, more: object = {}): object {
  return {source: `${CONFIG}/${name}`, dest: `/etc/kk/${name}`, owner: OWNER, perm: '0640', ...more}
}

/** Everything that `config.json` may say, with a command that ends. */
const EVERYTHING = {
  command: 'bash -c id',
  config_files: [
    file('plain.conf'),
    file('absent.conf', {optional: true}),
    {source: `${CONFIG}/many-*`, dest: '/etc/kk/many/', owner: OWNER, perm: '0600'},
  ],
  permissions: [{path: '/srv', owner: `${OWNER}:${OWNER}`, perm: '0750', recurse: true}],
}
const FILES = {'plain.conf': 'first', 'many-one': '1', 'many-two': '2'}

async function text(container: Container, path: string): Promise<string> {
  return (await container.run(`cat ${path}`, {user: 'root'})).says.trim()
}

// The dashboard's start script wants settings before it does anything.
const SKIP = {KOLLA_SKIP_EXTEND_START: ''}

describe.each(IMAGES)('the image $name', (image) => {
  it('copies files, sets permissions, and executes the command as its own user', async () => {
    const container = await containerOf(image)
    const own = (await container.run('id')).says.trim()

    const {exitCode, says} = await container.start({'config.json': EVERYTHING, ...FILES}, {env: SKIP})

    expect(exitCode, says).toBe(0)
    expect(says).toContain(own)
    const {says: modes} = await container.run(
      'stat -c "%n %U %a" /etc/kk/plain.conf /etc/kk/many/many-* /srv; ls /etc/kk',
      {user: 'root'},
    )
    expect(modes.trim().split('\n')).toEqual([
      '/etc/kk/plain.conf kolla 640',
      '/etc/kk/many/many-one kolla 600',
      '/etc/kk/many/many-two kolla 600',
      '/srv kolla 750',
      'many',
      'plain.conf',
    ])
  })

  // The dashboard compresses its pages, which takes minutes on a machine that has other things to do.
  it('runs the start script of its service', {timeout: 900_000}, async () => {
    const container = await containerOf(image)
    const settings = '/etc/openstack-dashboard/local_settings.d/_9998-kolla-settings.py'
    const dashboard = {source: `${CONFIG}/settings.py`, dest: settings, owner: 'horizon', perm: '0600'}
    const config = {command: 'true', ...(image.name.startsWith('horizon') && {config_files: [dashboard]})}
    const files = {'config.json': config, 'settings.py': "SECRET_KEY = 'test'\nCOMPRESS_OFFLINE = True\n"}

    const {exitCode, says} = await container.start(files, {timeout: 900})

    expect(exitCode, says).toBe(0)
  })

  it('copies at each start or only at the first, as configured', async () => {
    const always = await containerOf(image)
    const once = await containerOf(image)
    const config = {command: 'true', config_files: [file('plain.conf')]}

    for (const content of ['first', 'second']) {
      const files = {'config.json': config, 'plain.conf': content}
      expect(await always.start(files, {env: SKIP})).toMatchObject({exitCode: 0})
      expect(await once.start(files, {env: {...SKIP, KOLLA_CONFIG_STRATEGY: 'COPY_ONCE'}})).toMatchObject({
        exitCode: 0,
      })
    }

    expect(await text(always, '/etc/kk/plain.conf')).toBe('second')
    expect(await text(once, '/etc/kk/plain.conf')).toBe('first')
  })

  it.each([
    [
      'a file that is missing',
      {command: 'true', config_files: [file('absent.conf')]},
      {},
      'MissingRequiredSource',
    ],
    ['no command', {config_files: []}, {}, 'InvalidConfig'],
    [
      'a file without an owner',
      {command: 'true', config_files: [{source: '/etc/hosts', dest: '/x'}]},
      {},
      'InvalidConfig',
    ],
    ['no strategy', {command: 'true'}, {KOLLA_CONFIG_STRATEGY: ''}, 'KOLLA_CONFIG_STRATEGY is not set'],
  ])('does not start with %s', async (_what, config, env, reason) => {
    const container = await containerOf(image)

    const {exitCode, says} = await container.start({'config.json': config}, {env: {...SKIP, ...env}})

    expect(exitCode).not.toBe(0)
    expect(says).toContain(reason)
  })
})

it('the image kk starts the operator through its script', async () => {
  const container = await containerOf(imageOf('kk'))

  const {exitCode, says} = await container.start({'config.json': {command: 'kk-operator --help'}})

  expect(exitCode, says).toBe(0)
  expect(says).toContain('operator run')
})
