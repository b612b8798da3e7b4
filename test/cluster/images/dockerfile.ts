/**
 * Reads a Dockerfile of one stage as far as an assembly without Docker needs it: which files it copies and what its containers run as.
 *
 * Not covered: RUN (its packages come from elsewhere), ARG, several stages, quoted values. What is not understood is refused.
 */
export interface Instruction {
  readonly name: string;
  readonly value: string;
}

export interface Copied {
  readonly from: string;
  readonly to: string;
  /** File mode, when the Dockerfile sets one. */
  readonly mode?: number;
}

export interface DescribedImage {
  readonly base: string;
  readonly copied: readonly Copied[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly user: string;
  readonly entrypoint: readonly string[];
}

/** The instructions in order; comments are left out, continued lines are joined. */
export function readInstructions(text: string): readonly Instruction[] {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join('\n')
    .replaceAll(/\s*\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => {
    const [, name, value] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
    if (name === undefined || value === undefined)
      throw new Error(`this line of the Dockerfile is no instruction: ${line}`);
    return { name, value };
  });
}

/** What the image of this Dockerfile holds and runs as. */
export function describeImage(text: string): DescribedImage {
  const instructions = readInstructions(text);
  const all = (name: string) => instructions.filter((one) => one.name === name).map((one) => one.value);
  const known = ['FROM', 'RUN', 'COPY', 'ENV', 'WORKDIR', 'USER', 'ENTRYPOINT'];
  const unknown = instructions.find(({ name }) => !known.includes(name));
  if (unknown) throw new Error(`${unknown.name} in the Dockerfile is not understood here`);
  return {
    base: only('FROM', all('FROM')),
    copied: all('COPY').map(readCopy),
    environment: Object.fromEntries(all('ENV').flatMap(readSettings)),
    folder: only('WORKDIR', all('WORKDIR')),
    user: only('USER', all('USER')),
    entrypoint: readList(only('ENTRYPOINT', all('ENTRYPOINT'))),
  };
}

function only(name: string, values: readonly string[]): string {
  const [value, ...more] = values;
  if (value === undefined || more.length > 0) throw new Error(`the Dockerfile must have one ${name}`);
  return value;
}

function readCopy(value: string): Copied {
  const [, mode, from, to] = /^(?:--chmod=([0-7]+) )?([^-\s]\S*) (\/\S+)$/.exec(value) ?? [];
  if (from === undefined || to === undefined) throw new Error(`COPY ${value} is not understood here`);
  return { from, to, ...(mode === undefined ? {} : { mode: Number.parseInt(mode, 8) }) };
}

function readSettings(value: string): readonly [string, string][] {
  return value.split(/\s+/).map((setting) => {
    const [, name, content] = /^(\w+)=([^\s"'$\\]*)$/.exec(setting) ?? [];
    if (name === undefined || content === undefined) throw new Error(`ENV ${setting} is not understood here`);
    return [name, content];
  });
}

function readList(value: string): readonly string[] {
  const list: unknown = JSON.parse(value);
  if (Array.isArray(list) && list.every((word) => typeof word === 'string')) return list;
  throw new Error(`a list of strings was expected: ${value}`);
}
