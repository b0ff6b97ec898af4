import {mkdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {afterEach} from 'vitest'
import {waitFor} from '../../e2e/support/cluster.ts'
import {testDirectory} from '../../support/test-directory.ts'

/** Programs that write down what they were asked to do: only what members tell each other is looked at. */
const PROGRAMS = {
  mariadbd: `#!/bin/bash
case "$*" in
  *--wsrep-recover*) echo "WSREP: Recovered position: $(cat "$MEMBER/recovered")" >&2 ;;
  *) echo "$*" >"$MEMBER/started" ;;
esac
`,
  mariadb: `#!/bin/bash
for option; do case $option in --host=*) host=\${option#--host=} ;; esac; done
[ -e "$CLUSTER/runs-$host" ] && printf 'Variable_name\\tValue\\nwsrep_cluster_status\\tPrimary\\n'
`,
}

/** What a member finds on its volume. */
interface Volume {
  /** Of grastate.dat, which is there if there is a history. */
  readonly history?: string
  readonly seqno?: number
  readonly safe?: 0 | 1
  /** What the data itself says after a crash. */
  readonly recovered?: string
  readonly data?: boolean
}

/** Members of a database by their real start script, at addresses of the loopback; they end with the test. */
export function useGalera(script: string): (listed?: number) => Promise<Cluster> {
  const ends: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })
  let subnet = 0
  return async (listed = 3) => {
    const directory = testDirectory()
    subnet += 1
    const prefix = `127.77.${subnet}`
    const members = Array.from({length: listed}, (_, ordinal) => `${prefix}.${ordinal + 1}`)
    await writeFile(join(directory, 'members.json'), JSON.stringify({members, service: `${prefix}.1`}))
    await mkdir(join(directory, 'bin'))
    for (const [name, text] of Object.entries(PROGRAMS))
      await writeFile(join(directory, 'bin', name), text, {mode: 0o755})
    return makeCluster({script, directory, prefix, ends})
  }
}

export type Cluster = ReturnType<typeof makeCluster>

interface Place {
  readonly script: string
  readonly directory: string
  readonly prefix: string
  readonly ends: (() => Promise<unknown>)[]
}

function makeCluster({script, directory, prefix, ends}: Place) {
  const address = (ordinal: number) => `${prefix}.${ordinal + 1}`
  return {
    address,
    /** From now on the member seems to be in a cluster that may change data. */
    runs: (ordinal: number) => writeFile(join(directory, `runs-${address(ordinal)}`), ''),
    start: async (ordinal: number, volume: Volume = {}) => {
      const home = join(directory, String(ordinal))
      await fill(home, volume)
      const input = script
        .replaceAll('/var/lib/mysql', home)
        .replaceAll('/var/lib/kolla/config_files', directory)
      const env = {
        PATH: `${join(directory, 'bin')}:${process.env.PATH}`,
        POD_NAME: `mariadb-server-${ordinal}`,
        POD_IP: address(ordinal),
        MEMBER: home,
        CLUSTER: directory,
      }
      const member = execa('python3', ['-'], {input, env, reject: false, all: true})
      ends.push(async () => {
        member.kill('SIGKILL')
        await member
      })
      let said = ''
      member.all.on('data', (text: Buffer) => {
        said += text.toString()
      })
      const read = (file: string) => readFile(join(home, file), 'utf8').catch(() => undefined)
      return {
        says: (text: string) => waitFor(async () => said.includes(text), {until: `${text} is in ${said}`}),
        /** The arguments of the server. */
        started: () =>
          waitFor(() => read('started'), {until: `member ${ordinal} starts, which says ${said}`}),
        waits: async () => (await read('started')) === undefined,
        read,
        touch: (file: string) => writeFile(join(home, file), ''),
        ended: member,
      }
    },
  }
}

async function fill(home: string, volume: Volume): Promise<void> {
  const {history, seqno = -1, safe = 0, recovered = '', data = true} = volume
  await mkdir(join(home, data ? 'mysql' : ''), {recursive: true})
  await writeFile(join(home, 'recovered'), recovered)
  if (history === undefined) return
  const state = `version: 2.1\nuuid:    ${history}\nseqno:   ${seqno}\nsafe_to_bootstrap: ${safe}\n`
  await writeFile(join(home, 'grastate.dat'), `# GALERA saved state\n${state}`)
}
