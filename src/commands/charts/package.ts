import {Flags} from '@oclif/core'
import {openSigner} from '../../charts/publishing/sign-package.ts'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {documentFlags, type FlagValues} from '../../cli/flags.ts'
import {openFinding} from '../../cli/open/charts.ts'
import {packagesText} from '../../report/charts/charts-text.ts'
import {readNamedFile, readStandardInput} from '../../state/files/named-file.ts'
import {packageCharts} from '../../verbs/charts/package-charts.ts'

export default class ChartsPackage extends KkCommand {
  static override summary =
    'Package charts, each with its library chart included, so that helm can install them.'
  static override description =
    "Packages are reproducible: their bytes depend only on the content of the chart. Without names, packages all of kk's own charts."
  static override usage = '[CHART...] [FLAGS]'
  static override examples = [
    'kk charts package --output-dir packages',
    'kk charts package keystone --version 1.2.3 --output-dir packages',
    'Sign the package, for helm verify and helm install --verify.\nkk charts package keystone --sign --key charts@example.org --passphrase-file passphrase',
  ]
  static override args = {
    charts: argument({
      description: "Names of kk's own charts, chart directories, and packages to sign.",
      multiple: true,
    }),
  }
  static override flags = {
    version: Flags.string({
      summary: 'The version of the packages, instead of the version in Chart.yaml.',
      helpValue: 'VERSION',
    }),
    sign: Flags.boolean({
      summary: 'Sign each package for helm verify: writes PACKAGE.tgz.prov next to it.',
      dependsOn: ['key'],
    }),
    key: Flags.string({
      summary: 'The key, by its ID or a part of its name.',
      helpValue: 'NAME',
      dependsOn: ['sign'],
    }),
    keyring: Flags.string({
      summary: "A file of secret keys, as written by gpg --export-secret-keys (default: gpg's own keys).",
      helpValue: 'FILE',
      dependsOn: ['sign'],
    }),
    'passphrase-file': Flags.string({
      summary: "A file whose first line is the key's passphrase; - reads standard input.",
      helpValue: 'FILE',
      dependsOn: ['sign'],
    }),
    'output-dir': Flags.string({summary: 'The directory to write to.', helpValue: 'DIR', default: '.'}),
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(ChartsPackage)
    const {version, 'output-dir': directory} = flags
    await using finding = openFinding(undefined)
    await using signer = await createSigner(flags)
    const charts = args.charts ?? []
    const packages = await packageCharts({charts, version, directory, finding, sign: signer?.sign})
    this.console.document(flags.output, {packages}, (palette) => packagesText(packages, palette))
  }
}

type PackageFlags = FlagValues<typeof ChartsPackage.flags>

async function createSigner({key, keyring, 'passphrase-file': file}: PackageFlags) {
  if (key === undefined) return undefined
  const what = 'the passphrase'
  const passphrase =
    file === undefined
      ? undefined
      : file === '-'
        ? await readStandardInput(what)
        : await readNamedFile(file, {what: file})
  return openSigner({key, keyring, passphrase: passphrase?.split('\n', 1)[0], env: process.env})
}
