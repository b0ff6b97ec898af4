import {down} from '../../src/sandbox/remove.ts'
import type {Sandbox} from '../../src/sandbox/sandbox.ts'
import {up} from '../../src/sandbox/up.ts'

interface Throwaway {
  readonly name: string
  readonly nodes: number
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}

/** Starts the bench's own throwaway cluster for some work, and removes it in any case. */
export async function onThrowawayCluster<T>(
  {name, nodes, env, signal}: Throwaway,
  work: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  await down({name, env})
  try {
    const {sandbox} = await up({name, nodes, env, signal})
    return await work(sandbox)
  } finally {
    await down({name, env})
  }
}
