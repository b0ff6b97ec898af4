import {copyFile, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {type ChartFinding, findChart} from '../../../src/charts/find-chart.ts'
import type {Destination} from '../../../src/charts/publishing/destination.ts'
import {directoryDestination} from '../../../src/charts/publishing/destination-directory.ts'
import {registryDestination} from '../../../src/charts/publishing/destination-registry.ts'
import {openSigner} from '../../../src/charts/publishing/sign-package.ts'
import {readEnvironment} from '../../../src/environment/read.ts'
import {helmPackages} from '../../../src/helm/pull.ts'
import {explainChart} from '../../../src/verbs/charts/explain-chart.ts'
import {type ChartPackage, packageCharts} from '../../../src/verbs/charts/package-charts.ts'
import {planPublish, publish} from '../../../src/verbs/charts/publish-charts.ts'
import {HELMS} from '../../support/helms.ts'
import {startRegistry} from '../../support/registry.ts'
import {toolPath} from '../../support/tools.ts'
import {helm} from '../support/helm.ts'
import {makeSigningKeys} from '../support/signing-keys.ts'
import {serveDirectory} from '../support/web-server.ts'
import {manifest, writeFiles} from '../support/write-files.ts'

let keys: Awaited<ReturnType<typeof makeSigningKeys>>
/** One package, with and without its signature: starting gpg and helm takes time. */
let signed: ChartPackage
let unsigned: ChartPackage
beforeAll(async () => {
  keys = await makeSigningKeys()
  signed = await pack()
  unsigned = await pack({isSigned: false})
})
afterAll(async () => {
  await keys[Symbol.asyncDispose]()
})

const name = HELMS[0]!

async function finding(home = writeFiles({})): Promise<ChartFinding> {
  const env = {HOME: home, PATH: process.env.PATH}
  const packages = helmPackages({path: await toolPath(name), env, directory: join(home, 'run')})
  return {builtIn: async () => home, cache: join(home, 'cache'), packages}
}

/** Packs a chart, signed by default; returns the file. */
async function pack({isSigned = true, text = ''} = {}) {
  const lines = 'description: |\n  - a line that begins with a dash\n'
  const chart = writeFiles({'Chart.yaml': manifest('app', '1.0.0', lines), 'values.yaml': text})
  const options = {
    charts: [chart],
    version: undefined,
    directory: writeFiles({}),
    finding: await finding(writeFiles({})),
  }
  if (!isSigned) return (await packageCharts(options))[0]!
  const {key, secret: keyring, passphrase} = keys
  await using signer = await openSigner({key, keyring, passphrase, env: process.env})
  return (await packageCharts({...options, sign: signer.sign}))[0]!
}

async function publishTo(destination: Destination, file: string): Promise<readonly string[]> {
  const options = {charts: [file], version: undefined, finding: await finding(), destination}
  const planned = await planPublish(options)
  await publish(planned, destination)
  return planned.map(({state}) => state)
}

describe(`a package that kk signed, by ${name}`, () => {
  it('is verified, and its bytes are those of one that is not signed', async () => {
    const {path, digest} = signed

    expect(await helm(name, ['verify', '--keyring', keys.public, path])).toContain('charts@example.org')
    expect(signed.signed).toBe(true)
    expect(digest).toBe(unsigned.digest)
    await expect(helm(name, ['verify', '--keyring', keys.others, path])).rejects.toThrow('unknown entity')
  })

  it("can be signed with a key of gpg's own keyring", async () => {
    const {path} = unsigned
    const env = {...process.env, GNUPGHOME: keys.home}
    await using signer = await openSigner({key: keys.key, passphrase: keys.passphrase, env})
    const directory = writeFiles({})

    const [resigned] = await packageCharts({
      ...{charts: [path], version: undefined, directory, finding: await finding()},
      sign: signer.sign,
    })

    expect(await helm(name, ['verify', '--keyring', keys.public, resigned!.path])).toContain(keys.key)
  })

  it.each([
    [
      'another passphrase',
      () => ({passphrase: 'other words'}),
      /gpg does not sign with charts@example.org: .*Bad passphrase/,
    ],
    [
      'a key that is not there',
      () => ({key: 'nobody@example.org'}),
      /gpg does not sign with nobody@example.org: clear-sign failed: No secret key$/,
    ],
    [
      'no file of keys',
      () => ({keyring: '/nowhere/keys.gpg'}),
      /gpg does not sign with charts@example.org: can't open '\/nowhere\/keys.gpg': No such file or directory$/,
    ],
    ['no gpg', () => ({env: {PATH: '/nowhere'}}), /gpg does not sign with .*: it cannot be started/],
  ])('is not made with %s', async (_, given, message) => {
    const {key, secret: keyring, passphrase} = keys
    const {path} = unsigned
    const options = {charts: [path], version: undefined, directory: writeFiles({}), finding: await finding()}
    const signing = async () => {
      await using signer = await openSigner({key, keyring, passphrase, env: process.env, ...given()})
      await packageCharts({...options, sign: signer.sign})
    }

    await expect(signing()).rejects.toMatchObject({
      code: 'KK_SIGNING',
      message: expect.stringMatching(message),
    })
    await expect(readFile(join(options.directory, 'app-1.0.0.tgz'))).rejects.toMatchObject({code: 'ENOENT'})
  })

  it('is published with its provenance into a registry and a web server, from which helm and kk verify it', async () => {
    await using registry = await startRegistry()
    const directory = writeFiles({})
    await using server = await serveDirectory(directory)
    const {path} = signed
    const {packages} = await finding()
    const url = `oci://${registry.host}/charts`
    const destinations = [
      registryDestination({url, plain: false, packages}),
      directoryDestination({path: directory, url: undefined, now: new Date()}),
    ]

    for (const destination of destinations) {
      expect(await publishTo(destination, path)).toEqual(['new'])
      expect(await publishTo(destination, path)).toEqual(['there'])
    }

    const armored = join(writeFiles({'keys.asc': '-----BEGIN PGP PUBLIC KEY BLOCK-----\n'}), 'keys.asc')
    const verify = ['--verify', '--keyring', keys.public, '--destination', writeFiles({})]
    await helm(name, ['pull', `${url}/app`, '--plain-http', ...verify])
    await helm(name, ['pull', 'app', '--repo', server.url, ...verify])
    for (const from of [url, server.url]) {
      const explain = async (keyring: string) =>
        explainChart({chart: `${from}/app`, keyring, environment: undefined, finding: await finding()})
      expect(await explain(keys.public)).toMatchObject({chart: 'app', version: '1.0.0'})
      await expect(explain(keys.others)).rejects.toMatchObject({
        code: 'KK_PROVENANCE',
        exit: 3,
        message: expect.stringMatching(
          /^(?:oci|http).*: app has no valid signature: openpgp: signature made by unknown entity$/,
        ),
      })
      await expect(explain(armored)).rejects.toMatchObject({
        code: 'KK_FILE',
        hint: expect.stringContaining('without --armor'),
      })
    }
  })

  it('adds its provenance to a package that was published without it', async () => {
    await using registry = await startRegistry()
    const directory = writeFiles({})
    const {packages} = await finding()
    const url = `oci://${registry.host}/charts`
    const destinations = [
      {url, destination: registryDestination({url, plain: false, packages})},
      {url: '', destination: directoryDestination({path: directory, url: undefined, now: new Date()})},
    ]

    for (const {destination} of destinations) {
      await publishTo(destination, unsigned.path)
      expect(await publishTo(destination, signed.path)).toEqual(['unsigned'])
      expect(await publishTo(destination, signed.path)).toEqual(['there'])
      expect(await publishTo(destination, unsigned.path)).toEqual(['there'])
    }

    const pulled = writeFiles({})
    await helm(name, [
      ...['pull', `${url}/app`, '--plain-http', '--destination', pulled],
      ...['--verify', '--keyring', keys.public],
    ])
    expect(
      await helm(name, ['verify', '--keyring', keys.public, join(directory, 'app-1.0.0.tgz')]),
    ).toBeDefined()
  })

  it('is refused if its provenance is for other bytes', async () => {
    const other = await pack({isSigned: false, text: 'changed: true\n'})
    await copyFile(`${signed.path}.prov`, `${other.path}.prov`)

    await expect(publishTo({} as never, other.path)).rejects.toMatchObject({code: 'KK_PROVENANCE'})
  })
})

describe(`an environment with a keyring, by ${name}`, () => {
  /** Looks for the chart by what `kk.charts` says, with one cache. */
  const lookIn = (url: string, find: ChartFinding) => async (more: object) => {
    const text = JSON.stringify({kk: {charts: [{oci: url, ...more}]}, app: {}})
    const {charts} = readEnvironment({file: 'cloud.yaml', text, directory: keys.home})
    return findChart({name: 'app'}, charts, find)
  }

  it('accepts only packages that one of its keys has signed', async () => {
    await using registry = await startRegistry()
    const find = await finding()
    const url = `oci://${registry.host}/charts`
    const destination = registryDestination({url, plain: false, packages: find.packages})
    await publishTo(destination, signed.path)
    const look = lookIn(url, find)

    const refusal = {code: 'KK_PROVENANCE', message: expect.stringContaining('unknown entity')}
    expect(await look({version: '1.0.0'})).toMatchObject({version: '1.0.0'})
    // The package that is now in the cache was not verified.
    await expect(look({version: '1.0.0', keyring: 'others.gpg'})).rejects.toMatchObject(refusal)
    await expect(look({digest: signed.digest, keyring: 'others.gpg'})).rejects.toMatchObject(refusal)
    expect(await look({version: '1.0.0', keyring: 'public.gpg'})).toMatchObject({version: '1.0.0'})
    expect(await look({digest: signed.digest, keyring: 'public.gpg'})).toMatchObject({version: '1.0.0'})
  })

  it('accepts no unsigned package', async () => {
    await using registry = await startRegistry()
    const find = await finding()
    const url = `oci://${registry.host}/charts`
    await publishTo(registryDestination({url, plain: false, packages: find.packages}), unsigned.path)

    await expect(lookIn(url, find)({keyring: 'public.gpg'})).rejects.toMatchObject({
      code: 'KK_PROVENANCE',
      hint: expect.stringContaining('public.gpg contains the keys that you trust'),
    })
  })

  it('does not fetch a verified package again', async () => {
    const registry = await startRegistry()
    const find = await finding()
    const url = `oci://${registry.host}/charts`
    await publishTo(registryDestination({url, plain: false, packages: find.packages}), signed.path)
    const look = lookIn(url, find)
    const pinned = {digest: signed.digest, keyring: 'public.gpg'}
    await look(pinned)
    await registry[Symbol.asyncDispose]()

    expect(await look(pinned)).toMatchObject({version: '1.0.0'})
    await writeFile(join(keys.home, 'more.gpg'), await readFile(keys.others))
    await expect(look({...pinned, keyring: 'more.gpg'})).rejects.toMatchObject({code: 'KK_CHART'})
  })
})
