package app

import (
	"net/http"

	"example.com/deputy"
)

// logged tells the operator's log of requests that are not let in: why, by which channel and from where. Neither token nor data is written.
func (p *parts) logged(auth func(*http.Request) (deputy.Caller, error)) func(*http.Request) (deputy.Caller, error) {
	return func(r *http.Request) (deputy.Caller, error) {
		who, err := auth(r)
		if err != nil {
			p.log.WarnContext(r.Context(), "sign-in refused", "channel", deputy.Chat, "remote", r.RemoteAddr, "reason", deputy.MessageOf(err))
		} else if line, ok := r.Context().Value(requestKey{}).(*request); ok {
			line.person = personMark(who.ID)
		}
		return who, err
	}
}

// switchLogged tells the operator's log who threw the kill switch through the API, or took it back.
func (p *parts) switchLogged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPut || r.URL.Path != "/v1/admin/kill-switch" {
			next.ServeHTTP(w, r)
			return
		}
		answer := &answered{ResponseWriter: w}
		next.ServeHTTP(answer, r)
		if answer.code() != http.StatusOK {
			return
		}
		k, err := deputy.ReadKillSwitch(r.Context(), p.store.Settings)
		if err != nil {
			p.log.ErrorContext(r.Context(), "kill switch changed, and cannot be read", "error", err)
			return
		}
		p.log.WarnContext(r.Context(), "kill switch changed", "on", k.All, "by", personMark(k.By), "reason", k.Reason, "remote", r.RemoteAddr)
	})
}
