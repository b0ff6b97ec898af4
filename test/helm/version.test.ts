import {readFile, utimes, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeEach, describe, expect, it} from 'vitest'
import {helmVersion, supportedVersion} from '../../src/helm/version.ts'
import {testDirectory} from '../support/test-directory.ts'
import {toolPath} from '../support/tools.ts'
import {writeFakeHelm} from './support/fake-helm.ts'

describe('supportedVersion', () => {
  it.each([
    ['v4.2.4', {major: 4, minor: 2, text: 'v4.2.4'}],
    ['v4.2', {major: 4, minor: 2, text: 'v4.2'}],
    ['v3.21', {major: 3, minor: 21, text: 'v3.21'}],
    ['v3.17.0+g301108e', {major: 3, minor: 17, text: 'v3.17.0+g301108e'}],
    ['v4.0.0-rc.1', {major: 4, minor: 0, text: 'v4.0.0-rc.1'}],
  ])('accepts %s', (text, version) => {
    expect(supportedVersion(text, '/bin/helm')).toEqual(version)
  })

  it.each([
    ['Client: v2.17.0+ga690bad', 'is helm 2.17.0+ga690bad, which keeps its releases in Tiller'],
    ['v3.16.4', 'is helm 3.16.4'],
    ['v5.0.0', 'is helm 5.0.0'],
    ['hello', 'is a program that answers "hello"'],
    ['', 'is a program that answers ""'],
  ])('refuses %s', (text, came) => {
    expect(() => supportedVersion(text, '/bin/helm')).toThrow(
      expect.objectContaining({
        code: 'KK_HELM_VERSION',
        message: `kk needs helm 3.17 or newer, or helm 4; /bin/helm ${came}`,
      }),
    )
  })
})

describe('helmVersion', () => {
  let root: string
  let env: Record<string, string | undefined>
  beforeEach(async () => {
    root = testDirectory()
    env = {...process.env, XDG_CACHE_HOME: join(root, 'cache')}
  })
  const asked = async () => (await readFile(join(root, 'asked'), 'utf8')).trim().split('\n').length

  it.each([
    ['helm3', 3],
    ['helm4', 4],
  ] as const)(
    'queries a real %s',
    async (name, major) => {
      expect(await helmVersion(await toolPath(name), env)).toMatchObject({major})
    },
    600_000,
  )

  it('names the missing directory of a helm that prints nothing', async () => {
    const path = await writeFakeHelm(root, 'exit 1')
    await writeFile(join(root, 'file'), '')

    await expect(helmVersion(path, {...env, XDG_CACHE_HOME: join(root, 'file')})).rejects.toMatchObject({
      code: 'KK_FILE',
      exit: 2,
      message: expect.stringContaining(`ENOTDIR at ${join(root, 'file')}`),
    })
  })

  it('queries a binary once, and again after it has changed', async () => {
    const path = await writeFakeHelm(root, 'echo "$@" >>"$D/asked"; echo v4.1.0')

    await helmVersion(path, env)
    expect(await helmVersion(path, env)).toEqual({major: 4, minor: 1, text: 'v4.1.0'})
    expect(await asked()).toBe(1)

    await utimes(path, 0, 0)
    await helmVersion(path, env)
    expect(await asked()).toBe(2)
  })

  it('detects helm 2, whose version command has another template', async () => {
    const path = await writeFakeHelm(
      root,
      'case "$*" in *--client*) echo "Client: v2.17.0+ga690bad";; *) echo "Error: template" >&2; exit 1;; esac',
    )

    await expect(helmVersion(path, env)).rejects.toThrow('helm 2.17.0')
  })

  it('works without a writable cache', async () => {
    const path = await writeFakeHelm(root, 'echo v4.1.0')

    expect(await helmVersion(path, {...env, XDG_CACHE_HOME: '/dev/null'})).toMatchObject({major: 4})
  })

  it('reports a missing file', async () => {
    await expect(helmVersion(join(root, 'none'), env)).rejects.toMatchObject({code: 'KK_HELM_MISSING'})
  })
})
