/**
 * `npm run docs`: writes the generated parts of the pages, from the schema, the commands, the error codes,
 * the table of permissions, the charts, the images and the decisions.
 */
import {mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {chartTables} from './docs/chart-tables.ts'
import {auditTable, checkTable, errorCodeTable, exitCodeTable} from './docs/code-tables.ts'
import {commandList, commandPages, sharedFlags, variableTable} from './docs/command-reference.ts'
import {decisionList} from './docs/decision-list.ts'
import {environmentTables} from './docs/environment-tables.ts'
import {excludedTests} from './docs/excluded-tests.ts'
import {imageTable} from './docs/image-table.ts'
import {kindTables} from './docs/kind-tables.ts'
import {withMadeParts} from './docs/marked.ts'
import {permissionFiles, permissionParts} from './docs/permission-roles.ts'
import {podTable} from './docs/pod-table.ts'
import {serviceTable} from './docs/service-table.ts'

const DOCS = join(import.meta.dirname, '../docs')
/** Has only generated pages. */
const COMMANDS = join(DOCS, 'commands')
/** Has only generated roles. */
const PERMISSIONS = join(DOCS, 'permissions')

interface Page {
  readonly path: string
  readonly text: string
}

/** The expected contents of the pages with generated parts. */
export async function madePages(): Promise<readonly Page[]> {
  return [
    page('environment.md', environmentTables()),
    page('commands.md', {
      commands: commandList(),
      'shared-flags': sharedFlags(),
      variables: variableTable(),
      'exit-codes': exitCodeTable(),
      'error-codes': errorCodeTable(),
    }),
    ...[...commandPages()].map(([name, text]) => ({path: join(COMMANDS, `${name}.md`), text})),
    page('environment-resource.md', kindTables()),
    page('auditing.md', {'audit-kinds': auditTable()}),
    page('safety.md', {checks: checkTable()}),
    page('permissions.md', permissionParts()),
    ...permissionFiles().map(({name, text}) => ({path: join(PERMISSIONS, name), text})),
    page('charts.md', chartTables()),
    page('image-list.md', await imageTable()),
    page('pods.md', podTable()),
    page('services.md', await serviceTable()),
    page('tempest.md', {'tempest-excluded': excludedTests(join(DOCS, '../charts/tempest'))}),
    page('decisions/README.md', {decisions: decisionList(join(DOCS, 'decisions'))}),
  ]
}

function page(name: string, parts: Readonly<Record<string, string>>): Page {
  const path = join(DOCS, name)
  return {path, text: withMadeParts(readFileSync(path, 'utf8'), parts)}
}

if (import.meta.main) {
  const pages = await madePages()
  for (const made of [COMMANDS, PERMISSIONS]) {
    rmSync(made, {recursive: true, force: true})
    mkdirSync(made)
  }
  for (const {path, text} of pages) writeFileSync(path, text)
}
