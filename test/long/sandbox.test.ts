import {mkdtemp, readdir, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {waitFor} from '../e2e/support/cluster.ts'
import {kk} from '../e2e/support/kk.ts'
import {processesBelow} from '../e2e/support/sandbox-processes.ts'
import {exists, home, newName, runs, sandbox} from '../e2e/support/sandboxes.ts'

describe('kk sandbox up', () => {
  it.each([
    ['its directory was made', (name: string) => exists(home(name))],
    ['kwokctl was started', (name: string) => runs(name, 'kwokctl')],
    ['etcd was started', (name: string) => runs(name, 'etcd')],
    ['the last component was started', (name: string) => runs(name, 'kube-scheduler')],
    ['its kubeconfig was written', (name: string) => exists(join(home(name), 'kubeconfig'))],
  ])('cleans up what is left of one that was killed when %s', async (until, condition) => {
    const name = newName()
    const killed = sandbox('up', name)
    await waitFor(() => condition(name), {until})
    killed.kill('SIGKILL')
    await killed

    const up = await sandbox('up', name)
    const status = await sandbox('status', name)
    await sandbox('down', name)

    expect(up.exitCode).toBe(0)
    expect(up.stderr).toContain('removed what an earlier start had left')
    expect(status.exitCode).toBe(0)
    expect(await processesBelow(home(name))).toEqual([])
  })

  it("writes nothing outside kk's own directories", async () => {
    const name = newName()
    const elsewhere = await mkdtemp(join(tmpdir(), 'kk-home-'))
    const env = {HOME: elsewhere}

    await kk(['sandbox', 'up', '--sandbox-name', name], {env})
    await kk(['sandbox', 'status', '--sandbox-name', name], {env})
    await kk(['sandbox', 'shell', '--sandbox-name', name, '--', 'kubectl', 'get', 'nodes'], {env})

    expect(await readdir(elsewhere)).toEqual([])
    await rm(elsewhere, {recursive: true})
  })
})
