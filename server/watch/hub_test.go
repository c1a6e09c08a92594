package watch

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/reflect/protoreflect"
	"k8s.io/apimachinery/pkg/labels"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

func TestGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		put(t, st, value("prod/a", 1))
		h := newHub(t, st)

		full, err := h.Get("prod/a", tidemarkv1.View_VIEW_FULL)
		require.NoError(t, err)
		require.NotNil(t, full.GetExplanation())

		basic, err := h.Get("prod/a", tidemarkv1.View_VIEW_BASIC)
		require.NoError(t, err)
		require.Nil(t, basic.GetExplanation())

		_, err = h.Get("prod/b", tidemarkv1.View_VIEW_FULL)
		require.Equal(t, NotFoundError{Service: "prod/b"}, err)

		remove(t, st, "prod/a")
		synctest.Wait()

		_, err = h.Get("prod/a", tidemarkv1.View_VIEW_FULL)
		require.Equal(t, NotFoundError{Service: "prod/a"}, err)
	})
}

func TestListPages(t *testing.T) {
	st := store.NewMemory()

	const services = 23
	for i := range services {
		put(t, st, value(serviceName((i*7)%services), 1))
	}

	h := newHub(t, st)

	for _, size := range []int{1, 2, 5, services - 1, services, services + 1} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			var got []string

			for after, more := "", true; more; {
				var page []*tidemarkv1.Recommendation

				page, more, _ = h.List(nil, tidemarkv1.View_VIEW_BASIC, after, size)
				require.NotEmpty(t, page)
				require.LessOrEqual(t, len(page), size)

				for _, r := range page {
					got = append(got, r.GetService())
				}

				after = got[len(got)-1]
			}

			require.Len(t, got, services)
			require.IsIncreasing(t, got)
		})
	}

	page, more, _ := h.List(nil, tidemarkv1.View_VIEW_BASIC, serviceName(9)+"x", 1)
	require.True(t, more)
	require.Equal(t, serviceName(10), page[0].GetService(), "also after a key that is not there")
}

// busySelector does something for every service that it looks at.
type busySelector struct {
	labels.Selector

	look func()
}

func (s busySelector) Matches(labels.Labels) bool {
	s.look()

	return false
}

// A filter that is slow, and finds nothing, does not keep the hub from taking in what the store committed.
func TestListingDoesNotHoldUpTheHub(t *testing.T) {
	st := store.NewMemory()

	const services = 2*listStep + 1
	for i := range services {
		put(t, st, value(serviceName(i), 1))
	}

	h := newHub(t, st)
	looks := 0

	page, more, revision := h.List(&Filter{selector: busySelector{look: func() {
		looks++
		// Would not return while the list holds the lock.
		require.NoError(t, h.WaitFor(t.Context(), put(t, st, value(serviceName(0), int64(looks)))))
	}}}, tidemarkv1.View_VIEW_BASIC, "", 1)

	require.Empty(t, page)
	require.False(t, more)
	require.Equal(t, services, looks)
	require.EqualValues(t, services, revision, "what came during the list may be missing")
}

func TestWaitFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		h := newHub(t, st)

		require.NoError(t, h.WaitFor(t.Context(), 0))

		reached := make(chan error, 2)
		for range 2 {
			go func() { reached <- h.WaitFor(t.Context(), 2) }()
		}

		put(t, st, value("prod/a", 1))
		synctest.Wait()
		require.Empty(t, reached, "revision 1 is not enough")

		put(t, st, value("prod/a", 2))
		require.NoError(t, <-reached)
		require.NoError(t, <-reached)

		got, err := h.Get("prod/a", tidemarkv1.View_VIEW_BASIC)
		require.NoError(t, err)
		require.EqualValues(t, 2, got.GetRevision())

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()

		require.Equal(t, RevisionNotReachedError{Wanted: 3, Head: 2}, h.WaitFor(ctx, 3))
	})
}

// The deletion of what was never shown is nothing to those who follow, and a revision to those who wait.
func TestTheDeletionOfWhatOnlyWaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		h := newHub(t, st)
		r := open(t, h, all, &request{})

		_, err := st.Accept(t.Context(), []store.Work{{Service: "prod/a"}})
		require.NoError(t, err)

		require.NoError(t, h.WaitFor(t.Context(), remove(t, st, "prod/a")))
		put(t, st, value("prod/b", 1))
		synctest.Wait()
		require.Equal(t, []string{"end 0", "prod/b=1"}, texts(r.taken()))
		require.Zero(t, h.index.tombstones)
		r.stop()
	})
}

func TestTheBasicViewLeavesOutNothingElse(t *testing.T) {
	full := &tidemarkv1.Recommendation{}
	fields := full.ProtoReflect().Descriptor().Fields()

	for i := range fields.Len() {
		field := fields.Get(i)
		full.Reset()

		switch m := full.ProtoReflect(); {
		case field.IsMap():
			m.Mutable(field).Map().Set(protoreflect.ValueOfString("x").MapKey(), protoreflect.ValueOfString("y"))
		case field.IsList():
			m.Mutable(field).List().Append(m.Mutable(field).List().NewElement())
		case field.Message() != nil:
			m.Set(field, m.NewField(field))
		default:
			m.Set(field, nonZero(t, field))
		}

		left := field.Name() == "explanation" || field.Name() == "triggers"
		require.Equal(t, !left, basicView(full).ProtoReflect().Has(field), field.Name())
	}
}
