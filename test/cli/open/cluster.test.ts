import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {chooseCluster, openUsersHelm} from '../../../src/cli/open/cluster.ts'
import {readEnvironment} from '../../../src/environment/read.ts'
import type {Cluster} from '../../../src/kubernetes/cluster.ts'
import {testDirectory} from '../../support/test-directory.ts'

const belongingTo = (context: string) =>
  readEnvironment({file: 'env.yaml', text: `kk: {context: ${context}}\ndb: {}\n`, directory: '/'})

it.each([
  [{sandbox: true}, 'sandbox-kk'],
  [{'sandbox-name': 'aio'}, 'sandbox-aio'],
])('an environment that belongs to a context is refused on the sandbox %j', async (flags, context) => {
  const chosen = chooseCluster(flags, belongingTo('production'), () => undefined)

  await expect(chosen).rejects.toMatchObject({
    code: 'KK_WRONG_CONTEXT',
    message: expect.stringContaining(
      `belongs to the context production, but the sandbox was specified, whose context is ${context}`,
    ),
  })
})

it('an environment that belongs to the context of a sandbox is accepted on that sandbox', async () => {
  const chosen = chooseCluster(
    {'sandbox-name': 'none-of-this-name'},
    belongingTo('sandbox-none-of-this-name'),
  )

  await expect(chosen).rejects.toMatchObject({code: 'KK_SANDBOX'})
})

it.each([
  ['in a pod without a context, for no kubeconfig has it', undefined, []],
  ['elsewhere with the context of the cluster', 'production', ['--kube-context', 'production']],
])('helm is started %s', async (_, helmContext, words) => {
  const directory = testDirectory()
  const path = join(directory, 'helm')
  const lines = ['#!/bin/sh', '[ "$1" = version ] && exec echo v4.2.4', `echo "$*" > ${path}.log`, '']
  await writeFile(path, lines.join('\n'), {mode: 0o755})
  const cluster = {context: 'production', kubeconfig: undefined, helmContext} as Cluster

  const helm = await openUsersHelm({helm: path}, cluster)
  await helm.uninstall({name: 'db', namespace: 'openstack', values: {}}, {timeoutSeconds: 1})

  const said = (await readFile(`${path}.log`, 'utf8')).trim().split(' ')
  const from = said.indexOf('--kube-context')
  expect(from === -1 ? [] : said.slice(from, from + 2)).toEqual(words)
})
