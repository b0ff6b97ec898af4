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
  static override summary = 'Pack charts, each with its library inside, as helm installs them.'
  static override description =
    "The bytes of a package follow from the content of the chart alone, on every machine. Without names all of kk's own charts are packed."
  static override usage = '[CHART...] [FLAGS]'
  static override examples = [
    'kk charts package --output-dir packages',
    'kk charts package keystone --version 1.2.3 --output-dir packages',
    'Signed; helm verifies it with helm verify and --verify.\nkk charts package keystone --sign --key charts@example.org --passphrase-file passphrase',
  ]
  static override args = {
    charts: argument({
      description: "Names of kk's own charts, directories of charts, and packages to be signed.",
      multiple: true,
    }),
  }
  static override flags = {
    version: Flags.string({
      summary: 'The version of the packages, instead of that in Chart.yaml.',
      helpValue: 'VERSION',
    }),
    sign: Flags.boolean({
      summary: 'Sign each package, as helm verifies it: PACKAGE.tgz.prov beside it.',
      dependsOn: ['key'],
    }),
    key: Flags.string({
      summary: 'The key by its id or a part of its name.',
      helpValue: 'NAME',
      dependsOn: ['sign'],
    }),
    keyring: Flags.string({
      summary: "A file of secret keys, as gpg --export-secret-keys writes it; by default gpg's own keys.",
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
    await using signer = await signerOf(flags)
    const charts = args.charts ?? []
    const packages = await packageCharts({charts, version, directory, finding, sign: signer?.sign})
    this.console.document(flags.output, {packages}, (palette) => packagesText(packages, palette))
  }
}

type PackageFlags = FlagValues<typeof ChartsPackage.flags>

async function signerOf({key, keyring, 'passphrase-file': file}: PackageFlags) {
  if (key === undefined) return undefined
  const what = 'the passphrase'
  const text =
    file === undefined
      ? undefined
      : file === '-'
        ? await readStandardInput(what)
        : await readNamedFile(file, {what: file})
  return openSigner({key, keyring, passphrase: text?.split('\n', 1)[0], env: process.env})
}
