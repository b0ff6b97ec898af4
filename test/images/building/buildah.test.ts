import {chmod, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, it} from 'vitest'
import {runProgram} from '../../../src/images/building/buildah.ts'
import {identifyProcess} from '../../../src/state/processes/process-identity.ts'

let directory: string
const path = process.env['PATH']
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kk-buildah-'))
  process.env['PATH'] = `${directory}:${path}`
})
afterEach(async () => {
  process.env['PATH'] = path
  await rm(directory, {recursive: true})
})

/** A program of that name, in bash. */
async function buildah(script: string): Promise<void> {
  await writeFile(join(directory, 'buildah'), `#!/bin/bash\n${script}\n`)
  await chmod(join(directory, 'buildah'), 0o755)
}

describe('an interrupted build', () => {
  it('ends what it runs in a container, too', async () => {
    const abort = new AbortController()
    await buildah(`sleep 60 & echo $! >${directory}/pid; echo started; wait`)

    const run = runProgram('buildah', ['build'], {
      signal: abort.signal,
      onLine: () => abort.abort(new Error('interrupted')),
    })

    await expect(run).rejects.toThrow('interrupted')
    const pid = Number(await readFile(join(directory, 'pid'), 'utf8'))
    await expect.poll(() => identifyProcess(pid)).toBeUndefined()
  })

  it('that was interrupted before it began does not begin', async () => {
    await buildah(`touch ${directory}/begun`)

    const run = runProgram('buildah', ['build'], {signal: AbortSignal.abort(new Error('interrupted'))})

    await expect(run).rejects.toThrow('interrupted')
    await expect(readFile(join(directory, 'begun'))).rejects.toThrow('ENOENT')
  })
})

describe('buildah', () => {
  const BUSY = 'echo "Close_Fd sealing memfd copy: Device or resource busy" >&2; exit 1'
  const starts = async () => (await readFile(join(directory, 'starts'), 'utf8')).length

  it('that a busy machine did not let begin is started again', async () => {
    await buildah(
      `printf . >>${directory}/starts; [ $(wc -c <${directory}/starts) -gt 2 ] || { ${BUSY}; }; echo made`,
    )

    expect(await runProgram('buildah', ['from', 'scratch'])).toBe('made')
    expect(await starts()).toBe(3)
  })

  it('that never begins is given up', async () => {
    await buildah(`printf . >>${directory}/starts; ${BUSY}`)

    await expect(runProgram('buildah', ['from', 'scratch'])).rejects.toMatchObject({
      code: 'KK_IMAGE',
      log: ['Close_Fd sealing memfd copy: Device or resource busy'],
    })
    expect(await starts()).toBe(10)
  })

  it('that fails for another reason is not started again', async () => {
    await buildah(`printf . >>${directory}/starts; echo "no such image" >&2; exit 1`)

    await expect(runProgram('buildah', ['from', 'scratch'])).rejects.toMatchObject({log: ['no such image']})
    expect(await starts()).toBe(1)
  })
})
