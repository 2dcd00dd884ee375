package app

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"example.com/deputy/internal/near"
)

// validate finds what is wrong with the values by themselves; what needs the host's schema is found where the host is opened and by deputy.New.
func (d *document) validate() {
	d.validateServer()
	d.validateHost()
	d.validateWidgets()
	for i := range d.Models {
		d.validateModel(i)
	}
	d.validateTokens()
	d.validateRoles()
}

func (d *document) validateServer() {
	if d.Listen != "" {
		if _, _, err := net.SplitHostPort(d.Listen); err != nil {
			d.badValue("listen", "write host:port, such as 127.0.0.1:8080")
		}
	}
	if u, err := url.Parse(d.PublicURL); d.PublicURL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		d.badValue("public_url", "write a whole URL, such as https://assistant.example.com")
	}
	if _, port, err := net.SplitHostPort(d.Metrics); d.Metrics != "" && (err != nil || port == "") {
		d.badValue("metrics", "write host:port, such as 127.0.0.1:9090")
	} else if d.Metrics != "" && d.metricsAddress() == d.Listen {
		d.badValue("metrics", "the same address as listen: choose another port")
	}
	if _, err := storePath(d.Store); err != nil {
		d.badValue("store", "%v", err)
	}
	d.validateZone("zone", d.Zone)
}

func (d *document) validateZone(key, name string) {
	if name == "" {
		return
	}
	if _, err := time.LoadLocation(name); err != nil || name == "Local" {
		d.badValue(key, "no such time zone: %s; write a name such as Europe/Oslo or UTC", name)
	}
}

func (d *document) validateHost() {
	switch scheme, path, ok := strings.Cut(d.Host.Database, ":"); {
	case d.Host.Database == "":
		d.badMissing("host.database", "no database: write sqlite:PATH, postgres://USER:PASSWORD@HOST/DATABASE or mysql://USER:PASSWORD@HOST/DATABASE")
	case !ok || path == "" || scheme != "sqlite" && !postgres(scheme) && scheme != "mysql" && scheme != "mariadb":
		d.badValue("host.database", "write sqlite:PATH, postgres://USER:PASSWORD@HOST/DATABASE or mysql://USER:PASSWORD@HOST/DATABASE")
	case len(d.Host.Schemas) > 0 && !postgres(scheme):
		d.badMissing("host.schemas", "only a Postgres database has schemas: remove it")
	}
	for name, t := range d.Host.Tables {
		for field, f := range t.Fields {
			d.validateZone("host.tables."+name+".fields."+field+".zone", f.Zone)
		}
	}
	for i, r := range d.Host.Relations {
		key := fmt.Sprintf("host.relations[%d]", i)
		for end, text := range map[string]string{"from": r.From, "to": r.To} {
			if _, field, ok := strings.Cut(text, "."); !ok || field == "" {
				d.badMissing(key+"."+end, "write table.field")
			}
		}
	}
}

func postgres(scheme string) bool { return scheme == "postgres" || scheme == "postgresql" }

// badMissing notes a mistake at a key's value where it stands in the file, else at what it should stand in.
func (d *document) badMissing(key, text string) {
	if _, ok := d.values[key]; ok {
		d.badValue(key, "%s", text)
		return
	}
	d.bad(key, "%s", text)
}

func (d *document) validateTokens() {
	tokens, ids := map[string]int{}, map[string]int{}
	for i, t := range d.Auth.Tokens {
		key := fmt.Sprintf("auth.tokens[%d]", i)
		if other, ok := tokens[t.Token]; ok && t.Token != "" {
			d.badValue(key+".token", "the same token as auth.tokens[%d]: give each person their own", other)
		}
		if other, ok := ids[t.ID]; ok && t.ID != "" {
			d.badValue(key+".id", "the same id as auth.tokens[%d]: give each person their own", other)
		}
		tokens[t.Token], ids[t.ID] = i, i
		switch {
		case t.Token == "":
			d.badMissing(key+".token", "an empty token would let anybody in: write one, best as ${NAME}")
		case strings.TrimSpace(t.Token) != t.Token || strings.ContainsAny(t.Token, " \t\r\n"):
			d.badValue(key+".token", "a token may not contain blanks")
		}
		if t.ID == "" {
			d.badMissing(key+".id", "no id: name the person, such as agent-7")
		}
		for j, role := range t.Roles {
			if _, ok := d.Policy.Roles[role]; !ok {
				d.badValue(fmt.Sprintf("%s.roles[%d]", key, j), "no such role: %s%s", role,
					near.Hint(role, slices.Sorted(maps.Keys(d.Policy.Roles))))
			}
		}
	}
}

// validateRoles refuses what would silently grant everything or nothing.
func (d *document) validateRoles() {
	for name, role := range d.Policy.Roles {
		key := "policy.roles." + name
		for table, a := range role.Tables {
			at := key + ".tables." + table
			for rule, text := range map[string]string{"rows": a.Rows, "write_rows": a.WriteRows} {
				if _, stands := d.keys[at+"."+rule]; stands && strings.TrimSpace(text) == "" {
					d.badMissing(at+"."+rule, "an empty condition would mean every record: write one, or remove the key")
				}
			}
		}
		for i, h := range role.Hide {
			if table, field, ok := strings.Cut(h, "."); !ok || table == "" || field == "" {
				d.badValue(fmt.Sprintf("%s.hide[%d]", key, i), "write table.field")
			}
		}
	}
}

// storePath is the file of an sqlite store; empty for memory.
func storePath(store string) (string, error) {
	switch scheme, path, ok := strings.Cut(store, ":"); {
	case store == "":
		return "deputy.db", nil
	case store == "memory:":
		return "", nil
	case ok && scheme == "sqlite" && path != "":
		return path, nil
	case scheme == "postgres" || scheme == "postgresql":
		return "", fmt.Errorf("postgres is not supported yet: write memory: or sqlite:PATH")
	}
	return "", fmt.Errorf("write memory: or sqlite:PATH")
}
