import {join} from 'node:path'
import {execa} from 'execa'
import {expect, inject} from 'vitest'
import type {Node} from '../../../src/sandbox/node/node.ts'
import {uniqueName} from '../../e2e/support/cluster.ts'
import {aioEnvironment, runAio} from './run-aio.ts'

/** Starts the built binary on the node of the run. */
export function kk(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runAio(inject('aio'), args, env)
}

/** Starts the node unless it runs. */
export async function nodeUp(): Promise<Node> {
  const {stdout, stderr, exitCode} = await kk(['aio', 'up', '--output', 'json'])
  expect(exitCode, stderr).toBe(0)
  return JSON.parse(stdout) as Node
}

/** Where the node keeps its files. */
export function nodeHome(): string {
  return join(inject('aio').state, 'kk/sandboxes/aio')
}

/** Runs kubectl on the node; rejects when it fails. */
export async function kubectl(args: readonly string[], input: object | string = ''): Promise<string> {
  const text = typeof input === 'string' ? input : JSON.stringify(input)
  const {stdout} = await execa('kubectl', args, {...onNode(), input: text})
  return stdout
}

/** Runs a line of bash on the node, such as one that kk names; rejects when it fails. */
export async function runLine(line: string): Promise<string> {
  const {stdout} = await execa('bash', ['-c', `set -o pipefail; ${line}`], onNode())
  return stdout
}

function onNode() {
  const env = {...aioEnvironment(inject('aio')), KUBECONFIG: join(nodeHome(), 'kubeconfig')}
  return {env, extendEnv: false}
}

/** A new namespace of a test's own. It goes with the node. */
export async function makeNamespace(): Promise<string> {
  const name = uniqueName('aio')
  await kubectl(['create', 'namespace', name])
  return name
}
