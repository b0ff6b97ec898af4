import type {CommandTable} from './cli/reference.ts'

/** Made by `npm run table`, and by each start from the sources that finds a command younger than it. */
export declare const table: CommandTable
