import {execa} from 'execa'
import type {Values} from '../../../src/base/values.ts'
import {pyyamlPath} from '../../environment/support/values-py.ts'

const SCRIPT = `
import json, sys, yaml
values = json.load(sys.stdin)
print(json.dumps([{'block': yaml.safe_dump(each, default_flow_style=False),
                   'innermost': yaml.safe_dump(each, default_flow_style=None)} for each in values]))
`

/** Returns the output of PyYAML's safe_dump for values, in both styles. */
export async function safeDump(
  values: readonly Values[],
): Promise<readonly {readonly block: string; readonly innermost: string}[]> {
  const env = {PYTHONPATH: await pyyamlPath(), PYTHONIOENCODING: 'utf-8'}
  const {stdout} = await execa('python3', ['-c', SCRIPT], {env, input: JSON.stringify(values)})
  return JSON.parse(stdout)
}
