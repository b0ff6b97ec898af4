import {chmod, mkdir, readFile, writeFile} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {expect, it, onTestFinished} from 'vitest'
import {createControlPlane} from '../../../src/sandbox/control-plane/create.ts'
import {sandboxPaths} from '../../../src/sandbox/paths.ts'
import type {Tools} from '../../../src/state/tools.ts'
import {testDirectory} from '../../support/test-directory.ts'

/** A kwokctl that starts a process for each component; the controllers of the first start end at once. */
const KWOKCTL = `#!/bin/sh
echo "$*, GOGC=$GOGC" >> calls
for file in $FILES; do
  [ -e "$file" ] && continue
  sleep 60 > /dev/null 2>&1 &
  echo $! > "$file"
done
case "$*" in *create*) kill "$(cat "$ENDED")"; wait "$(cat "$ENDED")" ;; esac
exit 0
`

it('controllers that exit before the API server is healthy are restarted, with GOGC from the environment', async () => {
  const home = testDirectory()
  const env = {XDG_STATE_HOME: home, PATH: process.env.PATH, GOGC: '400'}
  const paths = sandboxPaths('mine', env)
  const files = Object.values(paths.controlPlane)
  for (const file of [...files, paths.kubeconfig]) await mkdir(dirname(file), {recursive: true})
  const ended = paths.controlPlane['kube-controller-manager']!
  const pki = join(paths.cluster, 'pki')
  await mkdir(pki, {recursive: true})
  for (const file of ['ca.crt', 'admin.crt', 'admin.key']) await writeFile(join(pki, file), '')
  const kwokctl = join(home, 'kwokctl')
  await writeFile(kwokctl, KWOKCTL.replace('$FILES', files.join(' ')).replaceAll('$ENDED', ended))
  await chmod(kwokctl, 0o755)
  const tools = new Proxy({} as Tools, {get: () => kwokctl})
  onTestFinished(async () => {
    for (const file of files) process.kill(Number(await readFile(file, 'utf8')))
  })

  await createControlPlane({paths, tools, env}, 'simulated')

  const calls = (await readFile(join(paths.home, 'calls'), 'utf8')).split('\n')
  expect(calls.map((call) => call.match(/(create|start) cluster|GOGC=.*/g))).toEqual([
    ['create cluster', 'GOGC=400'],
    ['start cluster', 'GOGC=400'],
    null,
  ])
})
