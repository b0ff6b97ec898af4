import {join} from 'node:path'
import {execa} from 'execa'
import {cacheDirectory} from '../../../src/state/directories.ts'
import {exists} from '../../../src/state/files/exists.ts'
import {withLock} from '../../../src/state/lock.ts'

const PYYAML = '6.0.3'
const SCRIPT = join(import.meta.dirname, 'values.py')

/** What values.py wrote for each environment, by section; null where it failed or wrote no valid YAML. */
export async function valuesPy(texts: readonly string[]): Promise<(Record<string, string> | null)[]> {
  const env = {PYTHONPATH: await pyyamlPath(), PYTHONIOENCODING: 'utf-8'}
  const {stdout} = await execa('python3', [SCRIPT], {env, input: JSON.stringify(texts)})
  return JSON.parse(stdout) as (Record<string, string> | null)[]
}

/**
 * Where PyYAML is imported from: '' if python3 has it, else a directory that is filled from PyPI once per
 * machine.
 */
export async function pyyamlPath(): Promise<string> {
  const found = await execa('python3', ['-c', 'import yaml; print(yaml.__version__)'], {reject: false})
  if (found.exitCode === 0 && found.stdout.startsWith('6.')) return ''
  const directory = join(cacheDirectory(process.env), `pyyaml-${PYYAML}`)
  await withLock(`${directory}.lock`, async () => {
    if (await exists(join(directory, 'yaml/__init__.py'))) return
    await execa('python3', ['-m', 'pip', 'install', '--quiet', '--target', directory, `PyYAML==${PYYAML}`])
  })
  return directory
}
