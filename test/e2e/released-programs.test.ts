import {mkdir, symlink, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {expect, inject, it} from 'vitest'
import {SANDBOX_TOOLS} from '../../src/state/tools.ts'
import {testDirectory} from '../support/test-directory.ts'
import {kk} from './support/kk.ts'
import {newName} from './support/sandboxes.ts'

/** The programs of a sandbox as the projects release them: with a kwok that does not check references. */
async function releasedPrograms(): Promise<string> {
  const {toolbox} = inject('run')
  const directory = join(testDirectory(), 'bin')
  await mkdir(directory)
  const others = SANDBOX_TOOLS.filter((name) => name !== 'kwok-kubelet')
  for (const name of others) await symlink(join(toolbox, name), join(directory, name))
  // By any other name than that of a controller, it is the kwok of the project.
  const kwok = `#!/bin/sh\nexec ${join(toolbox, 'kubebox')} kwok "$@"\n`
  await writeFile(join(directory, 'kwok'), kwok, {mode: 0o755})
  return directory
}

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {name: 'mounts'},
  spec: {
    containers: [{name: 'main', image: 'registry.example.org/x:1'}],
    volumes: [{name: 'settings', configMap: {name: 'nowhere'}}],
  },
}

it('a sandbox of released programs runs pods, which do not wait for what they refer to', async () => {
  const programs = await releasedPrograms()
  const name = newName()
  const env = {KK_TOOLBOX: programs, PATH: `${programs}:/usr/bin:/bin`}

  const up = await kk(['sandbox', 'up', '--sandbox-name', name, '--nodes', '1', '--output', 'json'], {env})

  expect(up.exitCode, up.stderr).toBe(0)
  const {kubeconfig} = JSON.parse(up.stdout) as {readonly kubeconfig: string}
  const kubectl = (args: readonly string[], input = '') =>
    execa(join(programs, 'kubectl'), ['--kubeconfig', kubeconfig, ...args], {input})
  await kubectl(['create', '--filename', '-'], JSON.stringify(POD))
  const waited = await kubectl(['wait', '--for=condition=Ready', 'pod/mounts', '--timeout=60s'])
  expect(waited.stdout).toBe('pod/mounts condition met')
})
