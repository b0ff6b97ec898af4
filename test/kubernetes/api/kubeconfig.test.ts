import {mkdirSync, writeFileSync} from 'node:fs'
import {delimiter, join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {readKubeconfig} from '../../../src/kubernetes/api/kubeconfig.ts'
import {testDirectory} from '../../support/test-directory.ts'

function kubeconfig(contexts: readonly string[], current?: string, port = 1): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: contexts.map((name) => ({name, cluster: {server: `https://${name}:${port}`}})),
    users: contexts.map((name) => ({name, user: {token: 's3cret'}})),
    contexts: contexts.map((name) => ({name, context: {cluster: name, user: name}})),
    ...(current && {'current-context': current}),
  })
}

function directoryWith(files: Readonly<Record<string, string>>): string {
  const directory = testDirectory()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(directory, name, '..'), {recursive: true})
    writeFileSync(join(directory, name), text)
  }
  return directory
}

describe('the kubeconfig', () => {
  it('passes its current context to helm when it is named', () => {
    const file = join(directoryWith({mine: kubeconfig(['one', 'two'], 'two')}), 'mine')

    const access = readKubeconfig({kubeconfig: file, env: {}})

    expect(access).toMatchObject({context: 'two', server: 'https://two:1', kubeconfig: file})
  })

  it('is found below HOME, as by helm itself', () => {
    const home = directoryWith({'.kube/config': kubeconfig(['one', 'two'], 'one')})

    const access = readKubeconfig({context: 'two', env: {HOME: home}})

    expect(access).toMatchObject({context: 'two', server: 'https://two:1', kubeconfig: undefined})
  })

  it('may be several files of KUBECONFIG: the first with a name wins, and files may be missing', () => {
    const directory = directoryWith({a: kubeconfig(['one']), b: kubeconfig(['one', 'two'], 'one', 2)})
    const files = ['none', 'a', 'b'].map((name) => join(directory, name))
    const env = {KUBECONFIG: files.join(delimiter), HOME: '/nowhere'}

    expect(readKubeconfig({env})).toMatchObject({context: 'one', server: 'https://one:1'})
    expect(readKubeconfig({context: 'two', env})).toMatchObject({server: 'https://two:2'})
  })

  it('names the command of a plugin from its own directory, or from PATH', () => {
    const exec = (command: string) =>
      JSON.stringify({
        ...JSON.parse(kubeconfig(['one'], 'one')),
        users: [{name: 'one', user: {exec: {command}}}],
      })
    const directory = directoryWith({a: exec('./bin/login'), b: exec('aws'), c: exec('/usr/bin/aws')})

    const commands = ['a', 'b', 'c'].map(
      (name) => readKubeconfig({kubeconfig: join(directory, name), env: {}}).user.exec?.command,
    )

    expect(commands).toEqual([join(directory, 'bin/login'), 'aws', '/usr/bin/aws'])
  })

  it.each(['', '# nothing is left\n', 'null\n'])('may be empty in a list: %j', (empty) => {
    const files = directoryWith({empty, full: kubeconfig(['one'], 'one')})
    const list = [join(files, 'empty'), join(files, 'full')].join(delimiter)

    expect(readKubeconfig({env: {KUBECONFIG: list}})).toMatchObject({context: 'one'})
    expect(() => readKubeconfig({env: {KUBECONFIG: join(files, 'empty')}})).toThrow(/has no current one/)
  })

  it('lists its contexts and suggests a similar one when the context does not exist', () => {
    const file = join(directoryWith({mine: kubeconfig(['production', 'staging'])}), 'mine')

    expect(() => readKubeconfig({kubeconfig: file, context: 'Prod', env: {}})).toThrow(
      expect.objectContaining({
        code: 'KK_KUBECONFIG',
        message: 'the kubeconfig has no context "Prod"; it has "production", "staging"',
        hint: 'did you mean --context production?',
      }),
    )
  })

  it.each([
    [
      'a current context',
      {mine: kubeconfig(['one'])},
      'no context was named and the kubeconfig has no current one; it has "one"',
    ],
    ['the file', {}, /mine does not exist$/],
    [
      'the cluster of its context',
      {mine: '{contexts: [{name: x, context: {cluster: other, user: z}}], current-context: x}'},
      'context "x" names the cluster "other", which the kubeconfig does not have',
    ],
  ])('without %s is refused, with the missing part in the error', (_, files, message) => {
    const file = join(directoryWith(files), 'mine')

    expect(() => readKubeconfig({kubeconfig: file, env: {}})).toThrow(message)
  })

  it('names the paths when no file exists', () => {
    expect(() => readKubeconfig({env: {HOME: '/nowhere'}})).toThrow(
      'no kubeconfig was found (/nowhere/.kube/config)',
    )
  })

  it('is reported with line and column, and without its content, when it is not YAML', () => {
    const file = join(directoryWith({mine: 'users:\n- user: {token: "s3cret"\n  other: 1'}), 'mine')

    expect(() => readKubeconfig({kubeconfig: file, env: {}})).toThrow(
      /mine:\d+:\d+ is not a kubeconfig: (?!.*s3cret)/,
    )
  })
})
