/**
 * Checkpoints of Megatron-LM in small: names and order as its `torch_dist` writer (torch 2.15) and its older one leave them, each torch
 * file an archive with nothing in it. `.metadata` is a pickle in which names stand as they are.
 */
import { type Files, torchFile } from '../checkpoint-fixtures.ts';

const named = (step: number): string => `iter_${String(step).padStart(7, '0')}/`;
const tracker = (step: number): Files => ({ 'latest_checkpointed_iteration.txt': `${String(step)}\n` });

export const distributedFiles = (step: number): Files => ({
  ...tracker(step),
  [`${named(step)}common.pt`]: torchFile(),
  [`${named(step)}__0_0.distcp`]: torchFile(),
  [`${named(step)}__1_0.distcp`]: torchFile(),
  [`${named(step)}.metadata`]:
    '\x80\x04 model.embedding __0_0.distcp optimizer.state.exp_avg __1_0.distcp rng_state/shard_0',
  [`${named(step)}metadata.json`]:
    '{"sharded_backend": "torch_dist", "sharded_backend_version": 1, "common_backend": "torch", "common_backend_version": 1}',
});

export const perRankFiles = (step: number): Files => ({
  ...tracker(step),
  ...Object.fromEntries(
    ['mp_rank_00', 'mp_rank_01'].flatMap((rank) => [
      [`${named(step)}${rank}/model_optim_rng.pt`, torchFile()],
      [`${named(step)}${rank}/distrib_optim.pt`, torchFile()],
    ]),
  ),
});

/** Actor, critic and position in the data. */
export const slimeFiles = (step: number): Files => ({
  ...distributedFiles(step),
  ...Object.fromEntries(Object.entries(distributedFiles(step)).map(([name, content]) => [`critic/${name}`, content])),
  [`rollout/global_dataset_state_dict_${String(step)}.pt`]: torchFile(),
});
