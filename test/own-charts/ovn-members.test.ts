import {chmod, mkdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {expect, it} from 'vitest'
import {testDirectory} from '../support/test-directory.ts'
import {useCharts} from './support/charts.ts'
import {find} from './support/objects.ts'

const charts = await useCharts()

/** What a pod answers: the ID of its cluster, that it joins one, or nothing; undefined if there is no pod. */
type Other = 'in a cluster' | 'joins' | 'silent' | undefined

const CLUSTERS = {
  'in a cluster': '[{"rows":[{"cid":["uuid","7c5d3a1e-0000-4000-8000-000000000001"]}]}]',
  joins: '[{"rows":[{"cid":["uuid","00000000-0000-0000-0000-000000000000"]}]}]',
}

/** Starts a member without data next to two others; returns the words with which its database is created. */
async function start(ordinal: number, ...others: readonly Other[]): Promise<string> {
  const directory = testDirectory()
  const answers = others.map((other) =>
    other === 'joins' || other === 'in a cluster' ? CLUSTERS[other] : '',
  )
  const names = others.map((other, index) => (other === undefined ? '' : `ovn-nb-${index}.`))
  const programs = {
    getent: `for name in ${names.join(' ')}; do case $2 in "$name"*) exit 0 ;; esac; done; exit 2`,
    'ovsdb-client': `case $* in
      *ovn-nb-0.*) answer='${answers[0]}' ;; *ovn-nb-1.*) answer='${answers[1]}' ;; *ovn-nb-2.*) answer='${answers[2]}' ;;
      esac; [ -n "$answer" ] && echo "$answer"`,
    'ovsdb-tool': `echo "$*" >> ${directory}/tool; for word in "$@"; do case $word in *.new) touch "$word" ;; esac; done`,
    'ovsdb-server': 'exit 0',
    sleep: 'exit 0',
  }
  await mkdir(join(directory, 'bin'))
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(directory, 'bin', name), `#!/bin/sh\n${text}\n`)
    await chmod(join(directory, 'bin', name), 0o755)
  }
  const script = find(await charts.render('ovn'), 'ConfigMap', 'ovn-bin').data!['ovn-db.sh']!
  const moved = script
    .replaceAll('/var/lib/ovn', directory)
    .replaceAll('/run/ovn', directory)
    // Each question is a second of the test's.
    .replaceAll('$SECONDS', '$((rounds = ${rounds:-0} + 100))')
  const env = {
    ...{PATH: `${directory}/bin:${process.env.PATH}`, DATABASE: 'OVN_Northbound', SCHEMA: 'schema'},
    ...{POD_NAME: `ovn-nb-${ordinal}`, ADDRESS: `tcp:ovn-nb-${ordinal}.ovn-nb-peers`, POD_IP: '192.0.2.1'},
    ...{PORT: '6641', RAFT_PORT: '6643', INACTIVITY_PROBE: '60000'},
  }
  await writeFile(join(directory, 'ovn-db.sh'), moved)
  const {stdout} = await execa('bash', [join(directory, 'ovn-db.sh')], {env})
  const tool = await readFile(join(directory, 'tool'), 'utf8')
  return `${stdout}\n${tool}`.replaceAll(`${directory}/`, '').trim()
}

const JOIN = 'join-cluster OVN_Northbound.db.new OVN_Northbound'
const at = (ordinal: number) => `tcp:ovn-nb-${ordinal}.ovn-nb-peers:6643`
const CREATE = `--election-timer=5000 create-cluster OVN_Northbound.db.new schema ${at(0)}`

it('the first member of OVN creates the cluster if it is alone, or if all others are joining', async () => {
  expect(await start(0)).toBe(CREATE)
  expect(await start(0, undefined, 'joins', 'joins')).toBe(CREATE)
})

it('the first member of OVN joins the others if it has lost its data', async () => {
  expect(await start(0, undefined, 'joins', 'in a cluster')).toBe(`${JOIN} ${at(0)} ${at(2)}`)
})

it('the first member of OVN first waits for one that is silent, which may have the data', async () => {
  expect(await start(0, undefined, 'silent', 'joins')).toContain(
    'waiting for ovn-nb-1: the data of OVN_Northbound may be there',
  )
})

it('another member of OVN joins those in a cluster, or all that there are', async () => {
  expect(await start(1, 'in a cluster', undefined, 'joins')).toBe(`${JOIN} ${at(1)} ${at(0)}`)
  expect(await start(2, 'joins', 'silent')).toBe(`${JOIN} ${at(2)} ${at(0)} ${at(1)}`)
  expect(await start(1)).toBe(`${JOIN} ${at(1)} ${at(0)}`)
})
