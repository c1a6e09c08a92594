package inventory

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAbsence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lister := &fakeLister{}
		lister.fail(errors.New("away"))

		cache, _ := run(t, lister)
		pass := func() {
			<-time.After(interval)
			synctest.Wait()
		}

		pass()
		require.Zero(t, cache.Absent("prod/a"), "no list says nothing")

		lister.services(named("prod/a", "prod/b")...)
		pass()
		pass()
		require.Zero(t, cache.Absent("prod/a"))
		require.Equal(t, interval, cache.Absent("prod/never"), "since the first list")

		lister.services(named("prod/b")...)
		pass()
		require.Zero(t, cache.Absent("prod/a"), "since just now")
		pass()
		require.Equal(t, interval, cache.Absent("prod/a"))

		// Whatever cannot be read or is empty is no evidence, and no time in which somebody was away begins or ends by it.
		lister.fail(errors.New("away"))
		pass()
		require.Zero(t, cache.Absent("prod/a"))
		require.Zero(t, cache.Absent("prod/never"))

		lister.services()
		pass()
		require.Zero(t, cache.Absent("prod/a"))
		require.Zero(t, cache.Absent("prod/b"))

		lister.services(named("prod/b")...)
		pass()
		require.Equal(t, 4*interval, cache.Absent("prod/a"))
		require.Zero(t, cache.Absent("prod/b"))

		lister.services(named("prod/a", "prod/b")...)
		pass()
		require.Zero(t, cache.Absent("prod/a"))

		// Who comes back starts again.
		lister.services(named("prod/b")...)
		pass()
		pass()
		require.Equal(t, interval, cache.Absent("prod/a"))
	})
}

func TestALongAbsenceIsNotRememberedForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lister := &fakeLister{}
		lister.services(named("prod/a", "prod/b")...)

		cache, _ := run(t, lister)

		<-time.After(time.Hour)
		lister.services(named("prod/b")...)
		<-time.After(AbsenceMemory + time.Hour)
		synctest.Wait()

		require.Empty(t, cache.absence.left)
		require.GreaterOrEqual(t, cache.Absent("prod/a"), AbsenceMemory)
	})
}
