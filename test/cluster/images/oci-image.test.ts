/** Images without Docker: every blob lies under its digest, and the same contents are the same image. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packLayer, writeImage } from './oci-image.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'temper-oci-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** An image of one file that was written `when`, unpacked. */
async function imageOf(name: string, when: Date): Promise<string> {
  const root = join(folder, `${name}-root`);
  mkdirSync(root);
  writeFileSync(join(root, 'file'), 'text');
  utimesSync(join(root, 'file'), when, when);
  await packLayer(root, join(folder, `${name}-layer.tar`));
  const image = { name: 'temper.test/x:1', layers: [join(folder, `${name}-layer.tar`)], config: { User: '1000' } };
  await writeImage(image, join(folder, `${name}.tar`));
  const layout = join(folder, name);
  mkdirSync(layout);
  execFileSync('tar', ['-C', layout, '-xf', join(folder, `${name}.tar`)]);
  return layout;
}

interface Described {
  readonly digest: string;
  readonly size: number;
}

test('index, manifest, configuration and layer name each other by digest and size', async () => {
  const layout = await imageOf('one', new Date(0));
  const blob = ({ digest, size }: Described) => {
    const bytes = readFileSync(join(layout, 'blobs', ...digest.split(':')));
    expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(digest);
    expect(bytes.length).toBe(size);
    return bytes;
  };
  const index = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')) as {
    manifests: [Described & { annotations: object }];
  };
  const [listed] = index.manifests;
  expect(listed.annotations).toEqual({ 'io.containerd.image.name': 'temper.test/x:1' });
  const manifest = JSON.parse(blob(listed).toString()) as { config: Described; layers: [Described] };
  const [layer] = manifest.layers;
  blob(layer);
  expect(JSON.parse(blob(manifest.config).toString())).toMatchObject({
    config: { User: '1000' },
    rootfs: { diff_ids: [layer.digest] },
  });
  expect(readdirSync(join(layout, 'blobs', 'sha256'))).toHaveLength(3);
});

test('the same contents, written at another time, are the same image', async () => {
  const layouts = [await imageOf('one', new Date(0)), await imageOf('other', new Date(1e12))];
  const [one, other] = layouts.map((layout) => readFileSync(join(layout, 'index.json'), 'utf8'));
  expect(one).toBe(other);
});
