import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import type {ErrorCode} from '../../../src/base/errors.ts'
import type {Corner} from '../support/corner.ts'
import {expectRefusal, openStanding} from '../support/refusal.ts'

let corner: Corner
beforeAll(async () => {
  corner = await openStanding()
})

let files = 0
/** Each of these would change `standing`, were it not refused. */
async function written(text: string): Promise<string> {
  files += 1
  const file = `bad-${files}.yaml`
  await corner.write(file, text)
  return file
}

describe.concurrent('kk deploy refuses an environment file', () => {
  it('that does not exist', () =>
    expectRefusal(corner, ['deploy', 'somewhere-else.yaml'], {
      exit: 2,
      code: 'KK_FILE',
      says: 'the environment file somewhere-else.yaml cannot be read: there is no such file',
      hint: 'name an environment file: an argument that ends in .yaml, -e FILE, or KK_ENVIRONMENT',
    }))

  it('that is one of several candidates, and lists them', async () => {
    await corner.write('several/environments/a.yaml', 'standing: {replicas: 2}\n')
    await corner.write('several/environments/b.yaml', 'standing: {replicas: 2}\n')

    await expectRefusal(
      corner,
      ['deploy'],
      {
        exit: 2,
        code: 'KK_NO_ENVIRONMENT',
        says: 'there are several: environments/a.yaml, environments/b.yaml',
        hint: 'name one of them, e.g. environments/a.yaml',
      },
      {cwd: join(corner.directory, 'several')},
    )
  })

  it('if none is specified or found', async () => {
    await corner.write('empty/README', '')

    await expectRefusal(
      corner,
      ['deploy'],
      {exit: 2, code: 'KK_NO_ENVIRONMENT', says: 'no environment file was named', hint: 'name one'},
      {cwd: join(corner.directory, 'empty')},
    )
  })

  it.each<[string, string, ErrorCode, string, string]>([
    [
      'broken YAML',
      'kk:\n  OWN\nstanding: {replicas: 2\n',
      'KK_YAML',
      'FILE:6:1: ',
      'correct the YAML at that place',
    ],
    [
      'a chart that no source has',
      'kk:\n  OWN\n  releases: {standing: {chart: workload}}\nstanding: {replicas: 2}\nworklaod: {}\n',
      'KK_CHART_NOT_FOUND',
      'FILE:7:1: no source of charts has worklaod; looked in ',
      'did you mean workload?',
    ],
    [
      'a chart that no source has, by its name',
      'kk:\n  OWN\n  releases:\n    standing: {chart: wokrload}\nstanding: {replicas: 2}\n',
      'KK_CHART_NOT_FOUND',
      'FILE:6:16: no source of charts has wokrload; looked in ',
      'did you mean workload?',
    ],
    [
      'a requirement that no source has',
      'kk:\n  OWN\n  releases:\n    standing: {chart: workload, requires: [worklod]}\nstanding: {replicas: 2}\n',
      'KK_UNKNOWN_REQUIREMENT',
      'standing requires worklod, but no source of charts has it (FILE:6: kk.releases.standing.requires: worklod)',
      'did you mean "workload"?',
    ],
    [
      'an option that a service does not have',
      'kk: {name: NAME, namespace: NAME, charts: [CHARTS, built-in], releases: {standing: {chart: workload}}}\nstanding: {replicas: 2}\nkeystone: {conf: {keystone: {DEFAULT: {debgu: true}}}}\n',
      'KK_VALUES',
      'FILE:3:40: conf.keystone.DEFAULT.debgu: no such option: did you mean "debug"?',
      'kk.conf.allow: [keystone.DEFAULT.debgu]',
    ],
  ])('with %s', async (_, text, code, says, hint) => {
    const file = await written(text)

    await expectRefusal(corner, ['deploy', file], {exit: 2, code, says: says.replaceAll('FILE', file), hint})
  })

  it('with an unknown key, and so does kk graph', async () => {
    const file = await written('kk: {charts: [built-in]}\nkeystone: {pod: {replica: {api: 2}}}\n')

    const graph = await corner.kk(['graph', file])
    const split = await corner.kk(['values', 'split', file, '--stdout'])

    expect([graph.exitCode, graph.stdout, split.exitCode]).toEqual([2, '', 0])
    const line = `${file}:2:18: pod.replica: no such key: did you mean "replicas"?`
    expect(graph.stderr).toContain(`keystone: the values break the schema of the chart:\n    ${line}`)
    expect(split.stderr).toContain(`warning: keystone: ${line}`)
  })

  it('with releases that require each other, and prints the whole path', async () => {
    const file = await written(`
kk:
  OWN
  releases:
    standing: {chart: workload, requires: [second]}
    second: {chart: workload, requires: [third]}
    third: {chart: workload, requires: [standing]}
standing: {replicas: 2}
`)

    await expectRefusal(corner, ['deploy', file], {
      exit: 2,
      code: 'KK_CYCLE',
      says: new RegExp(
        [
          'releases need each other: standing → second → third → standing',
          `    standing requires second \\(ready\\): ${file}:7: kk.releases.standing.requires: second`,
          `    second requires third \\(ready\\): ${file}:8: kk.releases.second.requires: third`,
          `    third requires standing \\(ready\\): ${file}:9: kk.releases.third.requires: standing`,
        ].join('\n'),
      ),
      hint: 'kk.releases.standing: {without: [second], requires: [{release: second, kind: applied}]}',
    })
  })

  it('on standard input without a name', () =>
    expectRefusal(
      corner,
      ['deploy', '-'],
      {
        exit: 2,
        code: 'KK_ENVIRONMENT',
        says: 'an environment on standard input needs a name',
        hint: 'set kk.name',
      },
      {input: 'standing: {replicas: 2}\n'},
    ))

  it('with a document as output if --output requests one', async () => {
    const json = await corner.kk(['deploy', 'none.yaml', '--output', 'json'])
    const ndjson = await corner.kk(['deploy', 'none.yaml', '--output', 'ndjson'])

    const error = {code: 'KK_FILE', exit: 2, hint: expect.any(String), message: expect.any(String)}
    expect([json.exitCode, ndjson.exitCode]).toEqual([2, 2])
    expect(JSON.parse(json.stdout)).toEqual({error})
    expect(JSON.parse(ndjson.stdout)).toEqual({type: 'error', ...error})
  })
})

describe.concurrent('a command line with', () => {
  it.each<[string, readonly string[], ErrorCode, string, string]>([
    [
      'an unknown release',
      ['upgrade', 'env.yaml', 'standin'],
      'KK_UNKNOWN_RELEASE',
      'env.yaml has no release standin',
      'did you mean standing?',
    ],
    [
      'releases for a command that takes the whole environment',
      ['deploy', 'env.yaml', 'standing'],
      'KK_USAGE',
      'kk deploy takes the whole environment, but got standing',
      'for single releases: kk upgrade standing',
    ],
    [
      '--set for an unknown release',
      ['deploy', 'env.yaml', '--set', 'standin:replicas=2'],
      'KK_UNKNOWN_RELEASE',
      '--values or --set names standin, which is not part of this environment',
      'did you mean standing?',
    ],
    [
      '--set without a value',
      ['deploy', 'env.yaml', '--set', 'standing:replicas'],
      'KK_USAGE',
      '--set standing:***: expected RELEASE:KEY=VALUE',
      'for example --set',
    ],
    [
      'a --values file that does not exist',
      ['deploy', 'env.yaml', '--values', 'standing=none.yaml'],
      'KK_FILE',
      '--values standing=none.yaml: the file cannot be read (ENOENT)',
      'check the path',
    ],
    [
      'two environment files',
      ['deploy', 'env.yaml', 'other.yaml'],
      'KK_USAGE',
      'expected one environment file, got env.yaml and other.yaml',
      'name one of them',
    ],
    [
      'an unknown flag',
      ['deploy', 'env.yaml', '--yess'],
      'KK_USAGE',
      'nonexistent flag: --yess',
      'did you mean --yes? see kk deploy --help',
    ],
    [
      'a word for a command that takes a file alone',
      ['charts', 'lock', 'standing'],
      'KK_USAGE',
      'expected an environment file, which ends in .yaml, got "standing"',
      'omit it, or pass a file',
    ],
    [
      'an empty target of a mirror',
      ['images', 'mirror', 'env.yaml', '--to', ''],
      'KK_USAGE',
      'expected a registry or a directory for --to, got an empty string',
      'check whether a variable is empty',
    ],
    [
      'an empty registry to push images to',
      ['images', 'build', 'keystone', '--push', '', '--dry-run'],
      'KK_USAGE',
      '"" is not a registry',
      'write it as in image references, without a scheme: 127.0.0.1:5000',
    ],
    [
      'a registry without its scheme, as a place for charts',
      ['charts', 'publish', '127.0.0.1:5000/charts', 'keystone', '--yes'],
      'KK_USAGE',
      'a registry needs its scheme: oci://127.0.0.1:5000/charts',
      'see kk charts publish --help',
    ],
    [
      'an unknown scheme of a source of charts',
      ['charts', 'search', '--from', 'ftp://charts.example.org'],
      'KK_USAGE',
      'expected oci://…, https://… or a directory, got ftp://charts.example.org',
      'see kk charts search --help',
    ],
    [
      'a registry without a name as a source of charts',
      ['charts', 'search', '--from', 'oci:///openstack'],
      'KK_USAGE',
      'expected oci://…, https://… or a directory, got oci:///openstack',
      'see kk charts search --help',
    ],
    [
      'flags of a cluster where files are imported',
      ['import', 'env.yaml', '--namespace', 'openstack'],
      'KK_USAGE',
      'cluster flags, --namespace and --charts are for releases on a cluster, not for files',
      'omit them',
    ],
    [
      "a service of kolla's in the value of a flag, which stays as it is",
      ['kolla', 'kill', 'standing', '-e', 'nova-api'],
      'KK_FILE',
      'the environment file nova-api cannot be read',
      'name an environment file',
    ],
    ['an unknown command', ['deplyo'], 'KK_USAGE', 'kk has no command "deplyo"', 'did you mean kk deploy?'],
  ])('%s is refused', (_, args, code, says, hint) => expectRefusal(corner, args, {exit: 2, code, says, hint}))
})
