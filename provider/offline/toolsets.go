package offline

import "strings"

// has says whether a tool can be called; the set that it belongs to is asked for where the system text says that it is not active.
func (d *desk) has(tool, set string) (bool, error) {
	if d.tools[tool] {
		return true, nil
	}
	return false, d.enable(set)
}

// enable asks once for a set that is offered and not active; without an error there is none, or asking did not help.
func (d *desk) enable(set string) error {
	if !d.tools["enable_toolset"] || !inactive(d.system, set) {
		return nil
	}
	_, err := d.call("enable_toolset", struct {
		Names []string `json:"names"`
	}{[]string{set}}, false)
	var failed toolError
	if isTool(err, &failed) {
		return nil
	}
	return err
}

// inactive says whether a system text lists a set among those that are not active.
func inactive(system, set string) bool {
	at := strings.LastIndex(system, "\nINACTIVE")
	if at < 0 {
		return false
	}
	for line := range strings.Lines(system[at+1:]) {
		if name, _, _ := strings.Cut(strings.TrimSpace(line), " "); name == set {
			return true
		}
	}
	return false
}
