import {readdir, readFile, readlink} from 'node:fs/promises'

interface RunningProcess {
  readonly pid: number
  readonly commandLine: string
}

/**
 * Every process whose command line, or program, lies below the sandbox's directory: found otherwise than kk
 * finds them.
 */
export async function processesBelow(home: string): Promise<RunningProcess[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number)
  const found = await Promise.all(
    pids.map(async (pid) => ({
      pid,
      commandLine: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
    })),
  )
  return found.filter(({commandLine}) => commandLine.includes(`${home}/`))
}

/** The addresses, as the kernel writes them, that these processes listen on with TCP. */
export async function listeningAddresses(pids: readonly number[]): Promise<string[]> {
  const sockets = new Set((await Promise.all(pids.map(socketInodes))).flat())
  const tables = await Promise.all(['tcp', 'tcp6'].map((table) => readFile(`/proc/net/${table}`, 'utf8')))
  return tables
    .flatMap((table) => table.trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.has(inode ?? ''))
    .map(([, local]) => local?.split(':')[0] ?? '')
}

async function socketInodes(pid: number): Promise<string[]> {
  const directory = `/proc/${pid}/fd`
  const links = (await readdir(directory)).map((fd) => readlink(`${directory}/${fd}`).catch(() => ''))
  return (await Promise.all(links)).flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? [])
}
