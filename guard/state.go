package guard

// State of a proposal, and of a write.
type State string

// The states. Done, failed, unknown, rejected, expired and stale are final.
const (
	Pending    State = "pending"
	Confirming State = "confirming"
	Done       State = "done"
	Failed     State = "failed" // nothing was written
	Unknown    State = "unknown"
	Rejected   State = "rejected"
	Expired    State = "expired"
	Outdated   State = "stale"
)

// Final says whether nothing can become of it any more.
func (s State) Final() bool { return s != Pending && s != Confirming }
