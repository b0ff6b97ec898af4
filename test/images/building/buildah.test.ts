import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {runProgram} from '../../../src/images/building/buildah.ts'
import {identifyProcess} from '../../../src/state/processes/process-identity.ts'
import {fakeBuildah} from '../support/fake-buildah.ts'

describe('an interrupted build', () => {
  it('also ends the processes in its container', async () => {
    const abort = new AbortController()
    const directory = await fakeBuildah((own) => `sleep 60 & echo $! >${own}/pid; echo started; wait`)

    const run = runProgram('buildah', ['build'], {
      signal: abort.signal,
      onLine: () => abort.abort(new Error('interrupted')),
    })

    await expect(run).rejects.toThrow('interrupted')
    const pid = Number(await readFile(join(directory, 'pid'), 'utf8'))
    await expect.poll(() => identifyProcess(pid)).toBeUndefined()
  })

  it('does not start if it was interrupted before its start', async () => {
    const directory = await fakeBuildah((own) => `touch ${own}/begun`)

    const run = runProgram('buildah', ['build'], {signal: AbortSignal.abort(new Error('interrupted'))})

    await expect(run).rejects.toThrow('interrupted')
    await expect(readFile(join(directory, 'begun'))).rejects.toThrow('ENOENT')
  })
})

describe('buildah', () => {
  const BUSY = 'echo "Close_Fd sealing memfd copy: Device or resource busy" >&2; exit 1'
  const starts = async (directory: string) => (await readFile(join(directory, 'starts'), 'utf8')).length

  it('is started again if a busy machine prevented its start', async () => {
    const directory = await fakeBuildah(
      (own) => `printf . >>${own}/starts; [ $(wc -c <${own}/starts) -gt 2 ] || { ${BUSY}; }; echo made`,
    )

    expect(await runProgram('buildah', ['from', 'scratch'])).toBe('made')
    expect(await starts(directory)).toBe(3)
  })

  it('fails after ten attempts to start', async () => {
    const directory = await fakeBuildah((own) => `printf . >>${own}/starts; ${BUSY}`)

    await expect(runProgram('buildah', ['from', 'scratch'])).rejects.toMatchObject({
      code: 'KK_IMAGE',
      log: ['Close_Fd sealing memfd copy: Device or resource busy'],
    })
    expect(await starts(directory)).toBe(10)
  })

  it('is not restarted after another failure', async () => {
    const directory = await fakeBuildah((own) => `printf . >>${own}/starts; echo "no such image" >&2; exit 1`)

    await expect(runProgram('buildah', ['from', 'scratch'])).rejects.toMatchObject({log: ['no such image']})
    expect(await starts(directory)).toBe(1)
  })
})
