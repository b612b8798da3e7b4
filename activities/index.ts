/** Every side effect of Temper's workflows, each idempotent; what they need is handed in. */
import { answerActivities, type AnswerActivities } from './answers.ts';
import { attemptActivities, type AttemptActivities } from './attempts.ts';
import { collapseActivities, type CollapseActivities } from './collapse.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { evaluationActivities, type EvaluationActivities } from './evaluations.ts';
import { withFailures } from './failures.ts';
import { gateActivities, type GateActivities } from './gate.ts';
import { withHeartbeats } from './heartbeats.ts';
import { jobActivities, type JobActivities } from './jobs.ts';
import { judgeActivities, type JudgeActivities } from './judge-attempt.ts';
import { notificationActivities, type NotificationActivities } from './notifications.ts';
import { pipelineActivities, type PipelineActivities } from './pipelines.ts';
import { promotionActivities, type PromotionActivities } from './promotion.ts';
import { scoreActivities, type ScoreActivities } from './scores.ts';
import { steeringActivities, type SteeringActivities } from './steering.ts';
import { sweepActivities, type SweepActivities } from './sweeps.ts';

export type Activities = PipelineActivities &
  AttemptActivities &
  JobActivities &
  JudgeActivities &
  EvaluationActivities &
  GateActivities &
  CollapseActivities &
  PromotionActivities &
  ScoreActivities &
  NotificationActivities &
  SteeringActivities &
  SweepActivities;

export function createActivities(dependencies: ActivityDependencies): Activities & AnswerActivities {
  const jobs = jobActivities(dependencies);
  const beating = withHeartbeats(
    {
      ...pipelineActivities(dependencies),
      ...attemptActivities(dependencies),
      ...jobs,
      ...judgeActivities(dependencies),
      ...evaluationActivities(dependencies),
      ...gateActivities(dependencies),
      ...collapseActivities(dependencies),
      ...promotionActivities(dependencies),
      ...scoreActivities(dependencies),
      ...notificationActivities(dependencies),
      ...steeringActivities(dependencies),
      ...sweepActivities(dependencies),
      ...answerActivities(dependencies),
    },
    dependencies.heartbeatSeconds,
  );
  return withFailures({ ...beating, awaitJob: (input) => jobs.awaitJob(input) });
}
