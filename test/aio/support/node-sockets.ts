import {readdir, readFile, readlink} from 'node:fs/promises'
import {execa} from 'execa'

interface Socket {
  readonly address: string
  readonly program: string
}

/**
 * The addresses where processes of the node listen, by ss; its processes are those that work in its
 * directory.
 */
export async function nodeSockets(home: string): Promise<readonly Socket[]> {
  const pids = new Set(await nodeProcesses(home))
  const {stdout} = await execa('ss', [
    '--listening',
    '--numeric',
    '--tcp',
    '--udp',
    '--processes',
    '--no-header',
  ])
  return stdout.split('\n').flatMap((line) => {
    const [, program = '', pid = ''] = /users:\(\("([^"]+)",pid=(\d+)/.exec(line) ?? []
    const address = line.split(/\s+/)[4]!.replace(/:\d+$/, '')
    return pids.has(pid) ? [{address, program}] : []
  })
}

async function nodeProcesses(home: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [directory, environment] = await Promise.all([
        readlink(`/proc/${pid}/cwd`).catch(() => ''),
        readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''),
      ])
      return directory.startsWith(home) || environment.includes(home) ? [pid] : []
    }),
  )
  return found.flat()
}
