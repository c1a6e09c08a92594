package clickhousedev

import (
	"log/slog"
	"sync"
)

// killer ends queries that run in other sessions. It has a session of its own, because theirs are occupied.
type killer struct {
	mu      sync.Mutex
	session session
}

// kill ends the query of the session with the given tag, if one is running. It does not wait for it to end.
func (k *killer) kill(tag string, log *slog.Logger) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.session == nil {
		return
	}
	sql := "KILL QUERY WHERE Settings['" + tagSetting + "'] = " + quoteString(tag) + " ASYNC"
	if _, _, err := k.session.query(sql, formatRows, nil); err != nil {
		log.Warn("cannot cancel a query", slog.Any("error", err))
	}
}

func (k *killer) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.session != nil {
		k.session.close()
		k.session = nil
	}
}
