import {asKkError, type ErrorCode, type KkError} from '../base/errors.ts'
import {KkCommand} from '../cli/command.ts'
import {documentFlags, fileArgument, type RenderFlags, renderFlags} from '../cli/flags.ts'
import {namesCluster, openChosenCluster, openUsersHelm} from '../cli/open/cluster.ts'
import {openEnvironment, prepareLocal, prepareTolerantly} from '../cli/open/open.ts'
import {examineCharts, settingFaults, valuesCoverage} from '../doctor/charts/examine-charts.ts'
import type {CheckCoverage} from '../doctor/check-groups.ts'
import type {Finding} from '../doctor/finding.ts'
import type {Environment} from '../environment/environment.ts'
import {type CheckedFile, checkDocument, checkText} from '../report/charts/check-text.ts'

export default class Check extends KkCommand {
  static override summary =
    'Check an environment file and what its charts render, before anything is deployed.'
  static override description =
    'First checks the file: its syntax, the settings of kk, keys and options that no chart or service reads. Then renders every chart with the values of the environment, a second time if it may use random values, and as its next version with other images. Needs no cluster; if one is named, also compares with the deployed releases and runs a server-side dry run. Finds charts that do not render, dependencies that are never satisfied, objects that no release or two releases create, data that a hook deletes with each upgrade, accounts whose server gets another password than their clients, hooks that wait for objects created after them, custom resources whose CRD the same chart creates too late, random values, Jobs and immutable fields that break an upgrade, and CRDs that no upgrade applies. Groups what it finds, and shows for each group what was checked and what was not. Exits 1 if there is a problem; warnings do not count as problems.'
  static override usage = '[FILE] [FLAGS]'
  static override examples = [
    'kk check cloud.yaml',
    'kk check cloud.yaml --output json',
    'Before an upgrade: what the cluster would refuse.\nkk check cloud.yaml --sandbox',
  ]
  static override args = fileArgument
  static override flags = {...renderFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(Check)
    const checked = await check(flags, args.file === undefined ? [] : [args.file])
    this.console.document(flags.output, checkDocument(checked), (palette) => checkText(checked, palette))
    if (checked.findings.some(({level}) => level === 'problem')) process.exitCode = 1
  }
}

async function check(flags: RenderFlags, argv: readonly string[]): Promise<CheckedFile> {
  const [given = flags.environment ?? 'the environment'] = argv
  const opened = await orError(openEnvironment(flags, argv))
  if (isError(opened)) return {file: given, findings: errorFindings('file', opened), coverage: {}}
  const {environment} = opened
  const file = {name: environment.name, sections: environment.sections.size}
  const rest = await checkCharts(flags, environment)
  return {...rest, file: environment.file, coverage: {file, ...rest.coverage}}
}

type Checked = Pick<CheckedFile, 'findings'> & {readonly coverage: CheckCoverage}

/** Checks the charts; if the references of the file are wrong, only the values. */
async function checkCharts(flags: RenderFlags, environment: Environment): Promise<Checked> {
  await using cluster = namesCluster(flags) ? await openChosenCluster(flags, environment) : undefined
  const prepared = await orError(prepareTolerantly(environment, flags, cluster, {unusable: new Map()}))
  const helm = await orError(openUsersHelm(flags, cluster))
  if (!isError(prepared) && !isError(helm)) {
    const {faults, coverage} = await examineCharts(prepared, {helm, cluster})
    return {findings: faults, coverage}
  }
  // Without helm nothing is rendered, and both have the same error.
  const isSame = isError(helm) && isError(prepared) && helm.code === prepared.code
  const findings = [
    ...(isError(helm) ? errorFindings('rendering', helm) : []),
    ...(isError(prepared) && !isSame ? errorFindings('requirements', prepared) : []),
  ]
  const releases = [...environment.releases].map(([name, each]) => [name, {...each, requires: []}] as const)
  const local = await orError(prepareLocal({...environment, releases: new Map(releases)}))
  if (isError(local)) return {findings, coverage: {}}
  const coverage = {values: await valuesCoverage(local)}
  return {findings: [...(await settingFaults(local)), ...findings], coverage}
}

/** Errors of the command line and of the machine, which are no findings about the environment. */
const THROWN: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['KK_BUG', 'KK_USAGE', 'KK_FILE', 'KK_NO_ENVIRONMENT', 'KK_UNKNOWN_RELEASE'] as const),
  ...(['KK_UNREACHABLE', 'KK_FORBIDDEN', 'KK_FACTS'] as const),
])

async function orError<T>(promise: Promise<T>): Promise<T | KkError> {
  return promise.catch((error: unknown) => {
    const known = asKkError(error)
    if (THROWN.has(known.code)) throw error
    return known
  })
}

function isError<T extends object>(outcome: T | KkError): outcome is KkError {
  return outcome instanceof Error
}

/** Returns a problem for each position that an error names, otherwise one. */
function errorFindings(check: string, {code, message, hint}: KkError): readonly Finding[] {
  const lines = message.split('\n')
  const whats = lines.every((line) => /^\S+:\d+:\d+: /.test(line)) ? lines : [message]
  return whats.map((what, at) => ({
    ...{check, level: 'problem', what: `${what} (${code})`},
    ...(hint !== undefined && at === whats.length - 1 && {advice: hint}),
  }))
}
