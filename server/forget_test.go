package server_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server"
)

// long is after how long services are forgotten here.
const long = 10 * time.Hour

// listed is an inventory that tests write.
type listed struct {
	mu       sync.Mutex // guards all below
	services []*tidemarkv1.Service
	err      error
}

func (l *listed) List(context.Context) ([]*tidemarkv1.Service, error) {
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.services, l.err
}

func (l *listed) set(err error, names ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()

	l.services, l.err = nil, err
	for _, name := range names {
		l.services = append(l.services, &tidemarkv1.Service{Service: name})
	}
}

// known returns the services that have a recommendation.
func (r *running) known(t *testing.T) []string {
	t.Helper()

	list, err := r.ListRecommendations(t.Context(), &tidemarkv1.ListRecommendationsRequest{PageSize: 1000})
	require.NoError(t, err)

	names := make([]string, 0, len(list.GetRecommendations()))
	for _, one := range list.GetRecommendations() {
		names = append(names, one.GetService())
	}

	return names
}

// withInventory runs a server with a fleet and an inventory that lists it.
func withInventory(t *testing.T, forgetAfter time.Duration, fleet ...string) (*running, *listed) {
	t.Helper()

	inventory := &listed{}
	inventory.set(nil, fleet...)

	config := quiet()
	config.ForgetAfter = forgetAfter
	config.InventoryInterval = 5 * time.Minute

	s := runWith(t, config, func(d *server.Dependencies) { d.Inventory = inventory })

	for _, service := range fleet {
		s.enqueue(t, service)
	}

	synctest.Wait()
	require.Equal(t, fleet, s.known(t))

	return s, inventory
}

func TestAServiceThatHasGoneIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, inventory := withInventory(t, long, "prod/a", "prod/b", "prod/c", "prod/d")

		inventory.set(nil, "prod/b", "prod/c")
		<-time.After(long / 2)
		s.enqueue(t, "prod/d") // somebody still asks for it
		<-time.After(long/2 - time.Hour)
		require.Len(t, s.known(t), 4)

		<-time.After(time.Hour + long/50)
		require.Equal(t, []string{"prod/b", "prod/c", "prod/d"}, s.known(t))
		<-time.After(long / 2)
		require.Equal(t, []string{"prod/b", "prod/c"}, s.known(t), "those that are listed stay, however old their data")
	})
}

// No fault of the inventory makes the server forget anything.
func TestAFaultOfTheInventoryForgetsNothing(t *testing.T) {
	fleet := []string{"prod/a", "prod/b", "prod/c"}

	for name, c := range map[string]struct {
		fault func(*listed)
		// silent means that the fault says nothing of any service.
		silent bool
	}{
		"it fails":               {func(l *listed) { l.set(errors.New("away")) }, true},
		"it is empty":            {func(l *listed) { l.set(nil) }, true},
		"most of it is missing":  {func(l *listed) { l.set(nil, "prod/a") }, false},
		"all of it is different": {func(l *listed) { l.set(nil, "dev/a", "dev/b") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, inventory := withInventory(t, long, fleet...)
				c.fault(inventory)
				<-time.After(3 * long)
				require.Equal(t, fleet, s.known(t))

				// It comes back without one service. When nothing was said of that before, its absence begins now.
				inventory.set(nil, "prod/a", "prod/b")
				<-time.After(long / 2)
				require.Equal(t, c.silent, len(s.known(t)) == len(fleet))
				<-time.After(long)
				require.Equal(t, fleet[:2], s.known(t))
			})
		})
	}
}

func TestNothingIsForgottenWhenThatIsNotWanted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, inventory := withInventory(t, 0, "prod/a", "prod/b", "prod/c")
		inventory.set(nil, "prod/a", "prod/b")
		<-time.After(8 * long)
		require.Len(t, s.known(t), 3)
	})
}

// The list is read in pages; none of them is left out.
func TestManyServicesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fleet := make([]string, 2500)
		for i := range fleet {
			fleet[i] = fmt.Sprintf("prod/%04d", i)
		}

		inventory := &listed{}
		inventory.set(nil, fleet...)

		config := quiet()
		config.ForgetAfter = time.Hour
		s := runWith(t, config, func(d *server.Dependencies) { d.Inventory = inventory })

		for _, service := range fleet {
			s.enqueue(t, service)
		}

		<-time.After(time.Minute)
		inventory.set(nil, fleet[:1250]...)
		<-time.After(2*time.Hour + time.Minute)

		for i, want := range map[int]codes.Code{0: codes.OK, 1249: codes.OK, 1250: codes.NotFound, 2499: codes.NotFound} {
			_, err := s.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: fleet[i]})
			if want == codes.OK {
				require.NoError(t, err)
			} else {
				requireError(t, err, want, tidemarkv1.ErrorReason_ERROR_REASON_RECOMMENDATION_NOT_FOUND)
			}
		}
	})
}
