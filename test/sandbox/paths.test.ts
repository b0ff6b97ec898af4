import {describe, expect, it} from 'vitest'
import {sandboxPaths} from '../../src/sandbox/paths.ts'

describe('the files of a sandbox', () => {
  it("are in kk's own state directory", () => {
    const paths = sandboxPaths('big', {HOME: '/home/ann'})

    expect(paths.home).toBe('/home/ann/.local/state/kk/sandboxes/big')
    expect(paths.kubeconfig).toBe('/home/ann/.local/state/kk/sandboxes/big/kubeconfig')
  })

  it.each(['', '.', '..', '../x', 'a/b', 'a.lock', 'A', '-a', 'a-', 'x'.repeat(41)])(
    'are rejected for the name %j',
    (name) => {
      expect(() => sandboxPaths(name, {HOME: '/home/ann'})).toThrow(
        expect.objectContaining({
          code: 'KK_USAGE',
          message: `a sandbox cannot be named ${JSON.stringify(name)}`,
        }),
      )
    },
  )

  it('include the pid files of the parts of the all-in-one node, without kwok', () => {
    const {components} = sandboxPaths('aio', {HOME: '/home/ann'})

    expect(Object.keys(components)).toContain('kubelet')
    expect(Object.keys(components)).not.toContain('kwok-controller')
    expect(Object.keys(sandboxPaths('kk', {HOME: '/home/ann'}).components)).toContain('kwok-controller')
  })
})
