package worker

import (
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// The domain's values in the API's terms. A test holds each of them against the published enum.
var (
	directions = map[recommender.Direction]tidemarkv1.Direction{
		recommender.DirectionNone: tidemarkv1.Direction_DIRECTION_NONE,
		recommender.DirectionUp:   tidemarkv1.Direction_DIRECTION_UP,
		recommender.DirectionDown: tidemarkv1.Direction_DIRECTION_DOWN,
	}
	statuses = map[recommender.Status]tidemarkv1.Status{
		recommender.StatusOK:               tidemarkv1.Status_STATUS_OK,
		recommender.StatusHold:             tidemarkv1.Status_STATUS_HOLD,
		recommender.StatusInsufficientData: tidemarkv1.Status_STATUS_INSUFFICIENT_DATA,
		recommender.StatusLimited:          tidemarkv1.Status_STATUS_LIMITED,
	}
	modes = map[policy.Mode]tidemarkv1.Mode{
		policy.ModeEnforce:     tidemarkv1.Mode_MODE_ENFORCE,
		policy.ModeObserveOnly: tidemarkv1.Mode_MODE_OBSERVE_ONLY,
		policy.ModeUpOnly:      tidemarkv1.Mode_MODE_UP_ONLY,
		policy.ModeOff:         tidemarkv1.Mode_MODE_OFF,
	}
	stages = map[policy.Stage]tidemarkv1.AdjustmentStage{
		policy.StageRatio:      tidemarkv1.AdjustmentStage_ADJUSTMENT_STAGE_RATIO,
		policy.StageCatalogue:  tidemarkv1.AdjustmentStage_ADJUSTMENT_STAGE_CATALOGUE,
		policy.StageStep:       tidemarkv1.AdjustmentStage_ADJUSTMENT_STAGE_STEP,
		policy.StageBounds:     tidemarkv1.AdjustmentStage_ADJUSTMENT_STAGE_BOUNDS,
		policy.StageEvidence:   tidemarkv1.AdjustmentStage_ADJUSTMENT_STAGE_EVIDENCE,
		policy.StageFloor:      tidemarkv1.AdjustmentStage_ADJUSTMENT_STAGE_FLOOR,
		policy.StageStepLimit:  tidemarkv1.AdjustmentStage_ADJUSTMENT_STAGE_STEP_LIMIT,
		policy.StageDisruption: tidemarkv1.AdjustmentStage_ADJUSTMENT_STAGE_DISRUPTION,
		policy.StageCoolDown:   tidemarkv1.AdjustmentStage_ADJUSTMENT_STAGE_COOL_DOWN,
		policy.StageMode:       tidemarkv1.AdjustmentStage_ADJUSTMENT_STAGE_MODE,
	}
	resources = map[size.Resource]tidemarkv1.Resource{
		size.CPU:      tidemarkv1.Resource_RESOURCE_CPU,
		size.Memory:   tidemarkv1.Resource_RESOURCE_MEMORY,
		size.Replicas: tidemarkv1.Resource_RESOURCE_REPLICAS,
	}
	disruptions = map[policy.DisruptionClass]tidemarkv1.DisruptionClass{
		policy.DisruptionNone:    tidemarkv1.DisruptionClass_DISRUPTION_CLASS_NONE,
		policy.DisruptionRolling: tidemarkv1.DisruptionClass_DISRUPTION_CLASS_ROLLING,
		policy.DisruptionRestart: tidemarkv1.DisruptionClass_DISRUPTION_CLASS_RESTART,
	}
	groupActions = map[recommender.GroupAction]tidemarkv1.GroupAction{
		recommender.GroupDelete: tidemarkv1.GroupAction_GROUP_ACTION_DELETE,
		recommender.GroupUpdate: tidemarkv1.GroupAction_GROUP_ACTION_UPDATE,
		recommender.GroupCreate: tidemarkv1.GroupAction_GROUP_ACTION_CREATE,
	}
	bands = map[recommender.BandPosition]tidemarkv1.BandPosition{
		recommender.BandUnknown: tidemarkv1.BandPosition_BAND_POSITION_UNKNOWN,
		recommender.BandBelow:   tidemarkv1.BandPosition_BAND_POSITION_BELOW,
		recommender.BandWithin:  tidemarkv1.BandPosition_BAND_POSITION_WITHIN,
		recommender.BandAbove:   tidemarkv1.BandPosition_BAND_POSITION_ABOVE,
	}
	memoryClasses = map[recommender.MemoryClass]tidemarkv1.MemoryClass{
		recommender.MemoryStable: tidemarkv1.MemoryClass_MEMORY_CLASS_STABLE,
		recommender.MemorySpiky:  tidemarkv1.MemoryClass_MEMORY_CLASS_SPIKY,
	}
	memoryTerms = map[recommender.MemoryTerm]tidemarkv1.MemoryTerm{
		recommender.MemoryTermAllocation: tidemarkv1.MemoryTerm_MEMORY_TERM_ALLOCATION,
		recommender.MemoryTermQuery:      tidemarkv1.MemoryTerm_MEMORY_TERM_QUERY,
		recommender.MemoryTermResident:   tidemarkv1.MemoryTerm_MEMORY_TERM_RESIDENT,
		recommender.MemoryTermRejection:  tidemarkv1.MemoryTerm_MEMORY_TERM_REJECTION,
		recommender.MemoryTermOOMKill:    tidemarkv1.MemoryTerm_MEMORY_TERM_OOM_KILL,
		recommender.MemoryTermBand:       tidemarkv1.MemoryTerm_MEMORY_TERM_BAND,
	}
	scopes = map[recommender.MergeScope]tidemarkv1.Resource{
		recommender.ScopeJoint:  tidemarkv1.Resource_RESOURCE_JOINT,
		recommender.ScopeCPU:    tidemarkv1.Resource_RESOURCE_CPU,
		recommender.ScopeMemory: tidemarkv1.Resource_RESOURCE_MEMORY,
	}
	picks = map[recommender.Pick]tidemarkv1.WindowPick{
		recommender.PickSmall:  tidemarkv1.WindowPick_WINDOW_PICK_SMALL,
		recommender.PickLarge:  tidemarkv1.WindowPick_WINDOW_PICK_LARGE,
		recommender.PickLarger: tidemarkv1.WindowPick_WINDOW_PICK_LARGER,
		recommender.PickHold:   tidemarkv1.WindowPick_WINDOW_PICK_HOLD,
	}
)

// reasonOf relies on the rule that the API's reasons are the recommender's with a prefix.
func reasonOf(reason recommender.Reason) tidemarkv1.Reason {
	return tidemarkv1.Reason(tidemarkv1.Reason_value["REASON_"+reason.String()])
}
