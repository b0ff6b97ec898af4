import {randomBytes} from 'node:crypto'
import {dirname} from 'node:path'
import {gzipSync} from 'node:zlib'
import {execa} from 'execa'
import {inject} from 'vitest'
import type {Finding} from '../../../src/doctor/finding.ts'
import {kk, kkEnvironment} from './kk.ts'

export interface Visit {
  readonly exitCode: number | undefined
  readonly findings: readonly Finding[]
  /** What a check found; rejects the test when it found nothing of these words. */
  find(check: string, words: string | RegExp): Finding
  levels(check: string): readonly string[]
}

/** `kk doctor <args>`. */
export async function visit(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Visit> {
  const {exitCode, stdout, stderr} = await kk(['doctor', ...args, '--output', 'json'], {env})
  if (stdout === '') throw new Error(stderr)
  const {findings} = JSON.parse(stdout) as {findings: readonly Finding[]}
  return {
    exitCode,
    findings,
    find(check, words) {
      const found = findings.find(
        (each) =>
          each.check === check &&
          (typeof words === 'string' ? each.what.includes(words) : words.test(each.what)),
      )
      if (!found)
        throw new Error(`${check} says nothing of ${words}:\n${JSON.stringify(findings, undefined, 2)}`)
      return found
    },
    levels: (check) => findings.filter((each) => each.check === check).map(({level}) => level),
  }
}

/** Does as a finding advises, in a shell that has kk, kubectl and helm; rejects when that fails. */
export async function follow({advice}: Finding, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const ours = kkEnvironment()
  const {stdout} = await execa('sh', ['-c', advice ?? 'false'], {
    env: {...ours, PATH: `${dirname(inject('run').kk)}:${ours.PATH}`, ...env},
    extendEnv: false,
  })
  return stdout
}

interface RecordOptions {
  readonly name: string
  readonly status?: string
  readonly bytes?: number
}

/** A record as helm writes it, of a release that has no objects. */
export function recordSecret({name, status = 'deployed', bytes = 0}: RecordOptions): object {
  const noise = randomBytes(Math.ceil(bytes / 1.2)).toString('base64')
  const payload = {name, version: 1, info: {status}, chart: {metadata: {name}}, manifest: ''}
  const json = JSON.stringify({...payload, config: {noise}})
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'helm.sh/release.v1',
    metadata: {
      name: `sh.helm.release.v1.${name}.v1`,
      labels: {owner: 'helm', name, status, version: '1'},
    },
    stringData: {release: gzipSync(json).toString('base64')},
  }
}
