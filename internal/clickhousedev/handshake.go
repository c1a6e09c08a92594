package clickhousedev

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"

	"github.com/ClickHouse/ch-go/proto"
)

// minRevision is the oldest revision of clients that is spoken: that of ClickHouse 20.1.
const minRevision = int(proto.FeatureSettingsSerializedAsStrings)

// handshake learns who the client is and opens its session.
func (c *conn) handshake() error {
	if err := c.net.SetReadDeadline(time.Now().Add(handshakeTimeout)); err != nil {
		return fmt.Errorf("set deadline: %w", err)
	}
	code, err := c.pump.next()
	if err != nil {
		return err
	}
	if code != proto.ClientCodeHello {
		return c.reject(proto.ErrUnexpectedPacketFromClient, "Unexpected packet %d instead of a hello", code)
	}
	hello, err := c.reader.Hello()
	if err != nil {
		return fmt.Errorf("read hello: %w", err)
	}
	c.revision = min(hello.Revision, serverRevision)
	if c.revision < minRevision {
		return c.reject(proto.ErrNotImplemented, "Clients older than revision %d are not supported", minRevision)
	}
	if !c.authentic(hello.User, hello.Password) {
		return c.reject(proto.ErrAuthenticationFailed, "%s: Authentication failed: password is incorrect, "+
			"or there is no user with such name.", hello.User)
	}
	if err := c.openSession(hello.Database); err != nil {
		if x, ok := errors.AsType[*exception](err); ok {
			return errors.Join(err, c.sendException(x))
		}
		return err
	}
	if err := c.sendHello(); err != nil {
		return err
	}
	if proto.FeatureAddendum.In(c.revision) {
		if err := c.reader.Addendum(); err != nil {
			return fmt.Errorf("read addendum: %w", err)
		}
	}
	if err := c.net.SetReadDeadline(time.Time{}); err != nil {
		return fmt.Errorf("clear deadline: %w", err)
	}
	return nil
}

// authentic reports whether these are the name and the password of the user.
func (c *conn) authentic(user, password string) bool {
	cfg := c.server.cfg
	want, got := sha256.Sum256([]byte(cfg.Password)), sha256.Sum256([]byte(password))
	if user == "" {
		user = defaultUser
	}
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1 && user == cfg.User
}

// openSession opens the session of the client in a database.
func (c *conn) openSession(database string) error {
	s, err := c.server.engine.session()
	if err != nil {
		return err
	}
	c.session = s
	c.settings = settings{session: s, applied: map[string]string{}, before: map[string]string{}}
	if err := c.settings.own(c.tag); err != nil {
		return fmt.Errorf("prepare session: %w", err)
	}
	if database == "" {
		return nil
	}
	return c.settings.exec("USE " + quoteName(database))
}
