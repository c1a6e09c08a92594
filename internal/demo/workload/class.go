package workload

// Class is a pattern of use.
type Class string

// The classes; the package comment describes them.
const (
	Flat     Class = "flat"
	Daily    Class = "daily"
	Bursts   Class = "bursts"
	Growth   Class = "growth"
	Restarts Class = "restarts"
)

// Fit is how well the allocation of a service suits it at the start.
type Fit string

// The fits; the package comment has their shares.
const (
	Fitting Fit = "fitting"
	Over    Fit = "over-provisioned"
	Under   Fit = "under-provisioned"
)

// Share is a part of a fleet, for people.
type Share struct {
	// Name of the class or the fit.
	Name string
	// Percent of the fleet.
	Percent int
	// Description says in a few words what it is.
	Description string
}

// ClassShares lists the classes.
func ClassShares() []Share {
	return []Share{
		{string(Flat), percent(classCycle[:], Flat), "steady load"},
		{string(Daily), percent(classCycle[:], Daily), "a wave of 24 hours"},
		{string(Bursts), percent(classCycle[:], Bursts), "quiet, with bursts of 15 to 40 minutes"},
		{string(Growth), percent(classCycle[:], Growth), "more than doubled in 30 hours"},
		{string(Restarts), percent(classCycle[:], Restarts), "restarts every few hours, memory falls and comes back"},
	}
}

// FitShares lists the fits.
func FitShares() []Share {
	return []Share{
		{string(Fitting), percent(fitCycle[:], Fitting), "about the size the rule would choose"},
		{string(Over), percent(fitCycle[:], Over), "two to four times too large"},
		{string(Under), percent(fitCycle[:], Under), "half the CPU, memory nearly full"},
	}
}

// classCycle deals out classes to services in turn, mixed so that a small fleet has some of each.
//
//nolint:gochecknoglobals // a constant table
var classCycle = [...]Class{
	Flat, Daily, Flat, Bursts, Flat, Daily, Growth, Flat, Restarts, Daily,
	Flat, Daily, Flat, Growth, Flat, Daily, Bursts, Flat, Restarts, Daily,
}

//nolint:gochecknoglobals // a constant table
var fitCycle = [...]Fit{Under, Fitting, Over, Fitting, Fitting, Fitting, Fitting, Over, Fitting, Fitting}

// classOf and fitOf deal independently of each other: the second cycle is shifted by one with each turn of the first.
func classOf(index int) Class { return classCycle[index%len(classCycle)] }

func fitOf(index int) Fit { return fitCycle[(index+index/len(classCycle))%len(fitCycle)] }

// percent is the share of one value in a cycle.
func percent[T comparable](cycle []T, value T) int {
	count := 0

	for _, other := range cycle {
		if other == value {
			count++
		}
	}

	return count * 100 / len(cycle)
}
