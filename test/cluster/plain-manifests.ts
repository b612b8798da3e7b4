/** `npm run manifests`: writes the plain manifests (k8s/deploy/manifests) from the chart, with a Helm that is built once. Needs Go. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manifestsFolder, openHelm, plainManifests } from './helm/chart.ts';

const helm = await openHelm();
try {
  const path = join(manifestsFolder, 'temper.yaml');
  await writeFile(path, await plainManifests(helm));
  console.log(path);
} finally {
  helm.close();
}
