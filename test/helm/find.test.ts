import {chmod, mkdir} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import {findHelm} from '../../src/helm/find.ts'
import {testDirectory} from '../support/test-directory.ts'
import {writeFakeHelm} from './support/fake-helm.ts'

describe('findHelm', () => {
  let root: string
  let onPath: string
  let other: string
  let env: {PATH: string; KK_HELM?: string}
  beforeAll(async () => {
    root = testDirectory()
    await mkdir(join(root, 'bin'))
    await mkdir(join(root, 'other'))
    onPath = await writeFakeHelm(join(root, 'bin'), 'exit 0')
    other = await writeFakeHelm(join(root, 'other'), 'exit 0')
    env = {PATH: `${join(root, 'missing')}:${join(root, 'bin')}`}
  })

  it('prefers --helm to KK_HELM', () => {
    expect(findHelm({flag: other, env: {...env, KK_HELM: onPath}})).toBe(other)
  })

  it('prefers KK_HELM to PATH', () => {
    expect(findHelm({env: {...env, KK_HELM: other}})).toBe(other)
  })

  it('prefers PATH to the candidates', () => {
    expect(findHelm({env, candidates: [other]})).toBe(onPath)
  })

  it('returns the first candidate that exists', () => {
    expect(findHelm({env: {PATH: ''}, candidates: [join(root, 'none'), other]})).toBe(other)
  })

  it('searches a bare name on PATH', () => {
    expect(findHelm({flag: 'helm', env})).toBe(onPath)
  })

  it('lists the searched places in the error', () => {
    expect(() => findHelm({env: {PATH: ''}, candidates: ['/toolbox/helm4']})).toThrow(
      expect.objectContaining({
        code: 'KK_HELM_MISSING',
        message: 'no helm was found in PATH, /toolbox/helm4',
        hint: expect.stringContaining('KK_HELM'),
      }),
    )
  })

  it('does not fall back if the named binary is missing', () => {
    expect(() => findHelm({flag: './nowhere', env})).toThrow(
      '--helm names ./nowhere, which is not an executable file',
    )
    expect(() => findHelm({env: {...env, KK_HELM: 'nowhere'}})).toThrow('KK_HELM names nowhere')
  })

  it('ignores a file that is not executable', async () => {
    await mkdir(join(root, 'plain'))
    const plain = await writeFakeHelm(join(root, 'plain'), 'exit 0')
    await chmod(plain, 0o644)

    expect(() => findHelm({flag: plain, env})).toThrow('not an executable file')
  })
})
