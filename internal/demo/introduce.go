package demo

import (
	"github.com/tidemark-project/tidemark/internal/demo/replay"
	"github.com/tidemark-project/tidemark/internal/demo/screen"
	"github.com/tidemark-project/tidemark/internal/demo/workload"
)

// welcome says what is going to happen.
func (d *demonstration) welcome() {
	d.screen.Linef(screen.Heading, "Tidemark: how big should each service be?")
	d.screen.Linef(screen.Detail, "data and logs are in %s; Ctrl-C stops everything", d.directory)
}

// introduceModel says what the made-up fleet is like.
func (d *demonstration) introduceModel() {
	d.screen.Linef(screen.Plain, "a made-up fleet of %d services (seed %d):", d.fleet.Len(), d.config.Seed)

	for _, share := range append(workload.ClassShares(), workload.FitShares()...) {
		d.screen.Linef(screen.Detail, "  %3d %%  %-18s %s", share.Percent, share.Name, share.Description)
	}
}

// introduceRecording says what was taken of the recording.
func (d *demonstration) introduceRecording(loaded replay.Fleet) {
	d.screen.Linef(screen.Plain, "%d recorded services of %s, their last 30 hours shifted to now", len(loaded.Services), d.config.Usage)

	if loaded.LeftOut > 0 {
		d.screen.Linef(screen.Notice, "  %d were not recorded for long enough and are left out", loaded.LeftOut)
	}

	if loaded.Derived > 0 {
		d.screen.Linef(screen.Detail, "  for %d of them it is not known what they were given; that is derived from what they used", loaded.Derived)
	}
}

// invite says what a person can try.
func (d *demonstration) invite() {
	d.screen.Blank()
	d.screen.Linef(screen.Heading, "it goes on until Ctrl-C; try in another terminal:")

	executable, server := d.config.Executable, d.commands.addresses.server
	d.screen.Linef(screen.Detail, "  %s list --server %s --direction up", executable, server)
	d.screen.Linef(screen.Detail, "  grpcurl -plaintext -d '{\"service\":\"%s\"}' %s tidemark.v1.RecommendationService/Enqueue",
		d.fleet.Service(d.canary).Key, server)
	d.screen.Linef(screen.Detail, "  curl -s http://%s/metrics", d.commands.addresses.http)

	if !d.config.external() {
		d.screen.Linef(screen.Detail, "  kill -9 %d     the ClickHouse: nothing is scaled down, evaluations back off, all recover",
			d.processes.pid(engineProcess))
	}

	d.screen.Linef(screen.Detail, "  kill -9 %d     the server: sources and agent connect again", d.processes.pid(serverProcess))
}
