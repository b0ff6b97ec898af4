import {kubectl} from '../../aio/support/node.ts'

/** What a command prints in the container `server` of a pod; rejects when it fails. */
export function inServer(namespace: string, pod: string, ...command: readonly string[]): Promise<string> {
  return kubectl(['exec', '--namespace', namespace, pod, '--container', 'server', '--', ...command])
}

/** The same in the only container of a pod. */
export function inPod(namespace: string, pod: string, ...command: readonly string[]): Promise<string> {
  return kubectl(['exec', '--namespace', namespace, pod, '--', ...command])
}

/** The lines that a statement gives on a member of the database, as its administrator. */
export async function query(namespace: string, pod: string, statement: string): Promise<readonly string[]> {
  const client = ['mariadb', '--user=root', '--batch', '--skip-column-names']
  const text = await inServer(namespace, pod, ...client, `--execute=${statement}`)
  return text.split('\n').filter((line) => line !== '')
}
