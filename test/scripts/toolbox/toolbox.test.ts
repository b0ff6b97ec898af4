import {chmod, mkdir, readdir, readFile, writeFile} from 'node:fs/promises'
import {basename, dirname, join} from 'node:path'
import {beforeEach, describe, expect, it} from 'vitest'
import {FORMER_KUBERNETES, NODE_KIT} from '../../../scripts/toolbox/recipe.ts'
import {buildToolbox, isArchived} from '../../../scripts/toolbox.ts'
import releases from '../../../src/sandbox/programs/releases.json' with {type: 'json'}
import {NODE_TOOLS, TOOL_NAMES, toolPath} from '../../../src/state/tools.ts'
import {testDirectory} from '../../support/test-directory.ts'

// A Go that writes down what it was asked for and makes an empty binary where the real one would.
const FAKE_GO = `#!/bin/sh
if [ "$1" = env ]; then echo go1.26.8; exit; fi
echo "$1" >> "$FAKE_GO_LOG"
if [ "$FAKE_GO_FAILS" = "$1" ]; then echo "no module proxy" >&2; exit 1; fi
sleep 0.1
case $1 in
  build) while [ "$1" != -o ]; do shift; done; binary=$2 ;;
  install) binary=$GOBIN/helm ;;
esac
touch "$binary" && chmod +x "$binary"
`

let directory: string
let env: NodeJS.ProcessEnv
beforeEach(async () => {
  directory = testDirectory()
  await mkdir(join(directory, 'bin'))
  await writeFile(join(directory, 'bin/go'), FAKE_GO)
  await chmod(join(directory, 'bin/go'), 0o755)
  env = {
    PATH: `${directory}/bin:/usr/bin:/bin`,
    XDG_CACHE_HOME: join(directory, 'cache'),
    FAKE_GO_LOG: join(directory, 'log'),
  }
})

async function runsOfGo(): Promise<string[]> {
  return (await readFile(join(directory, 'log'), 'utf8')).trim().split('\n')
}

describe('the toolbox', () => {
  it('contains every tool where the binary of kk looks for it', async () => {
    const bin = await buildToolbox(env, () => {})

    for (const name of TOOL_NAMES) expect(toolPath(name, env)).toBe(join(bin, name))
  })

  it('of the all-in-one node is separate, and is found next to the other', async () => {
    const cluster = await buildToolbox(env, () => {})
    const node = await buildToolbox(env, () => {}, NODE_KIT)

    for (const name of NODE_TOOLS) expect(toolPath(name, env)).toBe(join(node, name))
    expect(toolPath('etcd', env)).toBe(join(cluster, 'etcd'))
    expect(node).not.toBe(cluster)
  })

  it('is built once by concurrent callers', async () => {
    const lines: string[] = []

    await Promise.all([
      buildToolbox(env, (line) => lines.push(line)),
      buildToolbox(env, (line) => lines.push(line)),
    ])

    expect(await runsOfGo()).toEqual(['build', 'install', 'install'])
    expect(lines).toContain(`toolbox: process ${process.pid} is building it; waiting`)
  })

  it('prints nothing if it exists', async () => {
    await buildToolbox(env, () => {})
    const lines: string[] = []

    await buildToolbox(env, (line) => lines.push(line))

    expect(lines).toEqual([])
  })

  it('is not created if a step fails, with the output of Go in the error', async () => {
    const failing = buildToolbox({...env, FAKE_GO_FAILS: 'install'}, () => {})

    await expect(failing).rejects.toMatchObject({code: 'KK_TOOLBOX', log: ['no module proxy']})
    expect(() => toolPath('etcd', env)).toThrow('not found')
  })

  describe('in the cache of a CI', () => {
    const otherMachine = () => ({...env, XDG_CACHE_HOME: join(directory, 'other')})
    beforeEach(() => {
      env = {...env, KK_TOOLBOX_ARCHIVES: join(directory, 'archives')}
    })

    it('is unpacked on another machine without running Go', async () => {
      await buildToolbox(env, () => {})
      const lines: string[] = []

      const bin = await buildToolbox(otherMachine(), (line) => lines.push(line))

      const [archive] = await readdir(join(directory, 'archives'))
      const key = basename(dirname(bin))
      expect(archive).toBe(`kk-toolbox-${key}.tar.gz`)
      expect(lines).toEqual([`toolbox: unpacked ${join(directory, 'archives', archive!)}`])
      expect(await runsOfGo()).toEqual(['build', 'install', 'install'])
      for (const name of TOOL_NAMES) expect(toolPath(name, otherMachine())).toBe(join(bin, name))
    })

    it('is known to be there before it is unpacked', async () => {
      const before = await isArchived(env)
      await buildToolbox(env, () => {})

      expect([before, await isArchived(otherMachine())]).toEqual([false, true])
    })

    it('is built again if the archive is damaged', async () => {
      await buildToolbox(env, () => {})
      const [archive] = await readdir(join(directory, 'archives'))
      await writeFile(join(directory, 'archives', archive!), 'half')
      const lines: string[] = []

      await buildToolbox(otherMachine(), (line) => lines.push(line))
      await buildToolbox({...env, XDG_CACHE_HOME: join(directory, 'third')}, () => {})

      expect(lines[0]).toContain('cannot be unpacked, and is made anew')
      expect(await runsOfGo()).toHaveLength(6)
    })

    it('is a different one if an input changes', async () => {
      await buildToolbox(env, () => {})
      await buildToolbox(env, () => {}, NODE_KIT)

      expect(await readdir(join(directory, 'archives'))).toHaveLength(2)
    })
  })

  it('is cleaned of leftovers of failed and killed builds', async () => {
    await buildToolbox({...env, FAKE_GO_FAILS: 'install'}, () => {}).catch(() => {})

    await buildToolbox(env, () => {})

    const names = await readdir(join(directory, 'cache/kk/toolbox'))
    expect(names).toHaveLength(2)
    expect(names).toEqual(expect.arrayContaining([expect.stringMatching(/^[0-9a-f]{16}$/), 'current']))
  })
})

it('the former Kubernetes is one minor version older than the one of the cluster', async () => {
  const modules = await readFile(join(import.meta.dirname, '../../../toolbox/formerbox/go.mod'), 'utf8')
  const minor = (version: string) => Number(version.split('.')[1])

  expect(modules).toContain(`k8s.io/kubernetes ${FORMER_KUBERNETES}\n`)
  expect(minor(FORMER_KUBERNETES)).toBe(minor(releases.kubernetes.version) - 1)
})
