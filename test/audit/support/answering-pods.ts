import type {GatherPorts} from '../../../src/audit/gather.ts'
import type {Program, SeenPod} from '../../../src/kubernetes/exec/exec.ts'

/** A pod that runs. */
export function podOf(chart: string, component: string, more: Partial<SeenPod> = {}): SeenPod {
  const name = `${chart}-${component}-0`
  const place = {namespace: 'openstack', node: 'one', container: component}
  const image = {image: `registry/${chart}:1`, digest: 'sha256:1'}
  return {...place, name, release: chart, chart, component, isRunning: true, ...image, ...more}
}

type Answer = typeof NOTHING | object | {readonly code: number; readonly stderr: string} | Error

/** What a collector prints that finds nothing to compare. */
export const NOTHING = Symbol('null')

/** Pods whose collectors print what the test gives for each pod; without it, an empty document. */
export function answeringPods(pods: readonly SeenPod[], answers: Readonly<Record<string, () => Answer>>) {
  const programs: Program[] = []
  const ports: GatherPorts = {
    exec: {
      pods: async (namespace) => pods.filter((pod) => pod.namespace === namespace),
      async run(program) {
        programs.push(program)
        const answer = answers[program.pod]?.() ?? {}
        if (answer === NOTHING) return {code: 0, stdout: 'null', stderr: ''}
        if (answer instanceof Error) throw answer
        if ('code' in answer) return {stdout: '', ...(answer as {code: number; stderr: string})}
        return {code: 0, stdout: JSON.stringify(answer), stderr: ''}
      },
    },
    program: async (collector) => `# ${collector}`,
  }
  return {ports, programs}
}
