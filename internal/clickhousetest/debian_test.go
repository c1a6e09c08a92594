package clickhousetest_test

import (
	"testing"

	"github.com/tidemark-project/tidemark/internal/clickhousetest"
)

func TestDebian(t *testing.T) {
	s := clickhousetest.Debian(t)
	conn := s.Address().Open(t)
	v, err := conn.ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	t.Log(v)
	if err := s.WithPassword().Open(t).Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	a, conf := s.Secure()
	o := a.Options()
	o.TLS = conf
	_ = o
}
